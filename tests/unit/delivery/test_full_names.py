"""The names that agents use for each other become full ones, each once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from formicary import Message
from formicary.delivery.full_names import FullNames

ALICE, BOB = "alice@c1.lab.localhost", "bob@c2.lab.localhost"


@pytest.mark.parametrize(
    ("to", "full"),
    [
        ("alice", ALICE),
        ("bob@c2", BOB),
        (("alice", "bob@c2", ALICE), (ALICE, BOB)),
    ],
)
def test_a_message_gets_its_receivers_full_names_each_once(to, full):
    names = FullNames("c1.lab.localhost", "lab.localhost")
    message = Message(to=to, body="hello")
    completed = names.complete(message)
    assert (completed.to, completed.body, message.to) == (full, "hello", to)
    assert names.complete(completed) is completed


def test_a_finder_knows_better_until_it_has_forgotten():
    names = FullNames("c1.lab.localhost", "lab.localhost")
    found = {"bob": BOB}
    names.finder = SimpleNamespace(known=found.get)
    assert [names.of("bob"), names.of("alice")] == [BOB, ALICE]
    found.clear()
    assert names.of("bob") == "bob@c1.lab.localhost"
