"""Failures go back by the container that their senders have sent by last."""

from __future__ import annotations

from formicary.transport import refusals as module
from formicary.transport.refusals import ReturnPaths

ALICE = "alice@c1.lab.localhost"
HOME, AWAY, THIRD = (f"c{number}.lab.localhost" for number in (1, 2, 3))


def test_who_sends_from_its_home_needs_no_entry():
    paths = ReturnPaths()
    assert paths.heard(ALICE, HOME) is None
    assert paths.domain_of(ALICE) is None


def test_each_change_names_the_container_before():
    paths = ReturnPaths()
    assert paths.heard(ALICE, AWAY) == HOME
    assert paths.heard(ALICE, AWAY) is None
    assert paths.heard(ALICE, THIRD) == AWAY
    assert paths.domain_of(ALICE) == THIRD
    assert paths.heard(ALICE, HOME) == THIRD
    assert paths.domain_of(ALICE) is None


def test_a_container_that_is_gone_is_no_way_back_while_others_are():
    paths = ReturnPaths()
    paths.heard(ALICE, AWAY)
    paths.heard("bob@c1.lab.localhost", THIRD)
    paths.lose(AWAY)
    assert paths.domain_of(ALICE) is None
    assert paths.domain_of("bob@c1.lab.localhost") == THIRD
    paths.forget("bob@c1.lab.localhost")
    assert paths.domain_of("bob@c1.lab.localhost") is None


def test_no_more_are_remembered_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(module, "_LIMIT", 3)
    paths = ReturnPaths()
    names = [f"agent-{number}@c1.lab.localhost" for number in range(4)]
    for name in names:
        paths.heard(name, AWAY)
    assert [paths.domain_of(name) for name in names] == [None, None, None, AWAY]
