"""The way of messages to one agent: when they are held, go on, and which way."""

from __future__ import annotations

import pytest

from formicary.mobility.redirection.language import Marker, Moved, Through
from formicary.mobility.redirection.machine import Drop, Fail, Open, Redirection, Tell

BOB = "bob@c1"
HOME, OWN, FIRST, SECOND = "c1", "c2", "c3", "c4"


def make(way, own=OWN):
    return Redirection(BOB, own, way)


def done(redirection):
    instructions, redirection.instructions = redirection.instructions, []
    return instructions


def test_who_is_told_that_an_agent_has_moved_sends_a_marker_and_goes_on_when_that_is_through():
    way = make(HOME)
    way.moved(HOME, FIRST)
    assert done(way) == [Tell(HOME, Marker(BOB, 1, (OWN,)))]
    assert way.pending == 1
    way.moved(HOME, FIRST)
    way.through(FIRST, 1, FIRST)  # who was not asked
    way.through(HOME, 7, FIRST)
    assert done(way) == []
    way.through(HOME, 1, SECOND)
    assert done(way) == [Open()]
    assert (way.domain, way.pending) == (SECOND, None)


def test_where_the_link_to_the_old_way_ends_the_straight_way_is_open():
    way = make(HOME)
    way.moved(HOME, FIRST)
    done(way)
    way.ended(SECOND)
    assert done(way) == []
    way.ended(HOME)
    assert done(way) == [Open()]
    assert way.domain == FIRST


def test_where_the_straight_way_leads_to_a_container_that_is_lost_meanwhile_it_leads_home():
    way = make(HOME)
    way.moved(HOME, FIRST)
    done(way)
    assert way.leads_to(FIRST)
    way.give_up(FIRST, is_used=False)
    assert not way.leads_to(FIRST)
    way.ended(HOME)
    assert done(way) == [Open()]
    assert way.domain == HOME


def test_each_container_is_told_once_until_it_has_sent_a_marker():
    way = make(None)
    way.depart(FIRST)
    for origin in ("a", "a", "b"):
        way.pass_on_for(origin)
    assert done(way) == [Tell("a", Moved(BOB, FIRST)), Tell("b", Moved(BOB, FIRST))]
    way.marker("a", 5, ("a",))
    assert done(way) == [Tell(FIRST, Marker(BOB, 1, ("a", OWN), 5))]
    way.pass_on_for("a")
    assert done(way) == [Tell("a", Moved(BOB, FIRST))]
    way.through(FIRST, 1, SECOND)
    assert done(way) == [Tell("a", Through(BOB, 5, SECOND))]


def test_where_the_agent_lives_a_marker_is_through():
    way = make(None)
    way.marker("a", 5, ("a",))
    assert done(way) == [Tell("a", Through(BOB, 5, OWN))]


@pytest.mark.parametrize("first", [1, 2])
def test_where_an_agent_has_arrived_its_own_marker_is_through_when_it_comes_back(first):
    way = make(FIRST)
    way.arrive(is_used=True)
    done(way)
    way.marker(FIRST, 7, (OWN, FIRST), first)
    is_it = first == 1  # else one of an earlier time
    assert done(way) == [Tell(FIRST, Through(BOB, 7, OWN)), *([Open()] if is_it else [])]
    assert bool(way.pending) is not is_it


def test_who_has_a_marker_back_is_not_told_that_it_is_through():
    way = make(FIRST)
    way.marker("a", 5, ("a",))
    way.marker("b", 6, ("a", "b"), 5)
    assert done(way) == [
        Tell(FIRST, Marker(BOB, 1, ("a", OWN), 5)),
        Tell(FIRST, Marker(BOB, 2, ("a", "b", OWN), 5)),
    ]
    way.through(FIRST, 1, "a")
    assert done(way) == []
    way.through(FIRST, 2, "b")
    assert done(way) == [Tell("b", Through(BOB, 6, "b"))]  # who has passed it on for another
    assert way.is_quiet


def test_a_marker_that_comes_round_shows_that_nobody_knows():
    way = make(FIRST)
    way.marker(FIRST, 5, ("a", OWN, FIRST))
    assert done(way) == [Tell(FIRST, Through(BOB, 5, ""))]
    way.moved(FIRST, SECOND)
    done(way)
    way.through(FIRST, 1, "")
    assert done(way) == [Open()]
    assert way.domain == HOME


def test_at_home_nobody_else_can_be_asked():
    way = make(FIRST, own=HOME)
    way.moved(FIRST, SECOND)
    done(way)
    way.through(FIRST, 1, "")
    assert done(way) == [Fail()]


def test_the_home_goes_by_what_it_knows_where_nobody_does_on_the_old_way():
    way = make(None, own=HOME)
    way.depart(FIRST)
    way.set(SECOND, is_used=True)
    assert done(way) == [Tell(FIRST, Marker(BOB, 1, (HOME,)))]
    way.through(FIRST, 1, "")  # as by a later process there
    assert done(way) == [Open()]
    assert (way.domain, way.pending) == (SECOND, None)


def test_where_its_own_marker_comes_round_what_is_held_fails_as_what_was_before_it_is_behind():
    way = make(None, own=HOME)
    way.depart(FIRST)
    way.set(SECOND, is_used=True)
    done(way)
    way.marker("c9", 7, (HOME, FIRST, "c9"), 5)  # one of an earlier time
    assert done(way) == [Tell("c9", Through(BOB, 7, ""))]
    way.marker("c9", 8, (HOME, FIRST, "c9"), 1)
    assert done(way) == [Tell("c9", Through(BOB, 8, "")), Drop(), Open()]
    assert (way.domain, way.pending) == (SECOND, None)
    way.through(FIRST, 1, "")  # as all have answered
    assert done(way) == []


@pytest.mark.parametrize("is_used", [True, False])
def test_where_an_agent_arrives_what_has_gone_the_old_way_comes_first(is_used):
    way = make(FIRST)
    way.arrive(is_used=is_used)
    assert way.is_here
    if is_used:
        assert done(way) == [Tell(FIRST, Marker(BOB, 1, (OWN,)))]
        assert way.pending
        way.through(FIRST, 1, OWN)
    assert done(way) == [Open()]
    assert not way.is_needed


def test_where_it_arrives_what_has_gone_elsewhere_comes_first_too():
    way = make(HOME)
    way.arrive(is_used=True, also=FIRST)
    assert done(way) == [Tell(HOME, Marker(BOB, 1, (OWN,)))]
    way.through(HOME, 1, OWN)
    assert done(way) == [Tell(FIRST, Marker(BOB, 2, (OWN,)))]
    way.marker(SECOND, 5, (OWN, FIRST, SECOND), 2)
    assert done(way) == [Tell(SECOND, Through(BOB, 5, OWN)), Open()]
    assert not way.is_needed


def test_where_it_arrives_nothing_else_is_waited_for_than_what_has_gone_elsewhere():
    way = make(HOME)
    way.arrive(is_used=False, also=FIRST)
    assert done(way) == [Tell(FIRST, Marker(BOB, 1, (OWN,)))]
    way.ended(FIRST)
    assert done(way) == [Open()]


def test_where_the_link_ends_by_which_something_has_gone_elsewhere_it_is_not_waited_for():
    way = make(HOME)
    way.arrive(is_used=True, also=FIRST)
    way.ended(FIRST)
    done(way)
    way.through(HOME, 1, OWN)
    assert done(way) == [Open()]


def test_where_it_arrives_a_marker_from_before_is_sent_once_more_to_where_it_was():
    way = make(HOME)
    way.moved(HOME, FIRST)
    assert done(way) == [Tell(HOME, Marker(BOB, 1, (OWN,)))]
    way.arrive(SECOND, is_used=True)
    assert done(way) == []
    way.through(HOME, 1, SECOND)
    assert done(way) == [Tell(SECOND, Marker(BOB, 2, (OWN,)))]
    way.through(SECOND, 2, OWN)
    assert done(way) == [Open()]


def test_where_it_arrives_another_of_its_name_elsewhere_is_not_asked_for_ever():
    way = make(HOME)
    way.arrive(FIRST, is_used=True)
    assert done(way) == [Tell(HOME, Marker(BOB, 1, (OWN,)))]
    way.through(HOME, 1, HOME)
    assert done(way) == [Open()]
    assert not way.is_needed


def test_where_an_agent_has_arrived_nothing_is_waited_for_when_the_old_way_is_lost():
    way = make(FIRST)
    way.arrive(is_used=True)
    done(way)
    way.ended(FIRST)
    assert done(way) == [Open()]
    assert not way.is_needed


def test_the_home_sends_straight_at_once_what_follows_nothing():
    way = make(FIRST, own=HOME)
    way.set(SECOND, is_used=False)
    assert (done(way), way.domain) == ([], SECOND)
    way.set(OWN, is_used=True)
    assert done(way) == [Tell(SECOND, Marker(BOB, 1, (HOME,)))]
    way.ended(SECOND)
    assert (done(way), way.domain) == ([Open()], OWN)


def test_markers_that_were_passed_on_are_answered_where_the_link_ends():
    way = make(FIRST)
    way.marker("a", 5, ("a",))
    way.marker("b", 6, ("b",))
    done(way)
    way.ended("b")
    way.ended(FIRST)
    assert done(way) == [Tell("a", Through(BOB, 5, OWN))]
    assert way.is_quiet


def test_markers_that_were_passed_on_are_answered_where_the_agent_is_forgotten():
    way = make(SECOND)
    way.marker("a", 5, ("a",))
    assert done(way)
    assert way.forget() == [Tell("a", Through(BOB, 5, ""))]
    assert way.forget() == []
