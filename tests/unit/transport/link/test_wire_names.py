"""What agents are called in batches, and who is believed about names of other containers' agents."""

from __future__ import annotations

import pytest

from formicary.errors import InvalidNameError
from formicary.transport.link.wire_names import (
    AbsentError,
    Names,
    ReceiverNames,
    SenderNames,
    UnbelievedError,
    WireNames,
)

C1, C2 = "c1.lab.localhost", "c2.lab.localhost"
FULL = ["a@c1.lab.localhost", "a@c2.lab.localhost", "x@example.org/r", "x@localhost", "a@c1.other.localhost"]


def test_agents_of_the_container_go_by_their_own_names_and_others_have_their_home_with_them():
    names = WireNames(C1)
    assert [names[name] for name in FULL] == ["a", "a@c2", *FULL[2:]]
    back = Names(C1)
    assert [back[names[name]] for name in FULL] == FULL


def test_only_who_is_believed_speaks_for_agents_of_others():
    members, heard = {C1}, []
    names = SenderNames(C1, members.__contains__, lambda *told: heard.append(told))
    assert names["a"] == "a@c1.lab.localhost"
    assert names["a@c2"] == "a@c2.lab.localhost"
    assert heard == [(C1, "a@c1.lab.localhost"), (C1, "a@c2.lab.localhost")]
    members.clear()
    with pytest.raises(
        UnbelievedError, match=r"c1 is not known here as a member .* for b@c2\.lab\.localhost"
    ):
        names["b@c2"]
    with pytest.raises(ValueError, match="longer than that agent is called"):
        names["b@c1"]


@pytest.mark.parametrize("name", ["a", "a@c2"])
def test_who_is_forgotten_is_heard_as_for_the_first_time(name):
    heard = []
    names = SenderNames(C1, lambda _: True, lambda *told: heard.append(told))
    full = [names[name], names[name]]
    assert heard == [(C1, full[0])]
    names.forget(full[0])
    names.forget("b@c2.lab.localhost")  # who never was known
    assert names[name] == full[0]
    assert heard == [(C1, full[0])] * 2


def test_only_those_are_received_for_who_are_here():
    visitors = {"a@c2": "a@c2.lab.localhost"}
    names = ReceiverNames(C1, visitors)
    assert [names["a"], names["a@c2"]] == ["a@c1.lab.localhost", "a@c2.lab.localhost"]
    visitors.clear()
    with pytest.raises(AbsentError, match=r"a@c2\.lab\.localhost"):
        names["a@c2"]


@pytest.mark.parametrize("name", ["a@", "@c2", "a b@c2", "a@c2/r", "A@c2", "", "a@b@c"])
def test_what_is_no_name_is_refused(name):
    for names in (
        Names(C1),
        SenderNames(C1, lambda _: True, lambda *_: None),
        ReceiverNames(C1, {}),
    ):
        with pytest.raises((InvalidNameError, ValueError)):
            names[name]


def test_names_that_are_forgotten_are_known_to_have_been_there():
    names = WireNames(C1)
    for number in range(12_000):
        names[f"{number:0>1000}@{C1}"]
    assert names.has_forgotten
    assert sum(len(key) + len(name) for key, name in names.items()) < 1 << 22
