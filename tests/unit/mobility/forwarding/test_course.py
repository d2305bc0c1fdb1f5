"""The way of one container's messages to one agent, without any messages."""

from __future__ import annotations

import pytest

from formicary.mobility.forwarding.course import Course
from formicary.mobility.forwarding.language import Marker, Moved, Through

HERE, HOME, THERE, OTHER = (f"{name}.lab.localhost" for name in ("here", "home", "there", "other"))
BOB = f"bob@{HOME}"


class Told(list):
    """What other containers are told."""

    def __call__(self, domain, news):
        self.append((domain, news))

    def take(self):
        told, self[:] = list(self), []
        return told


@pytest.fixture
def told():
    return Told()


@pytest.fixture
def course(told):
    return Course(BOB, HERE, HOME, told)


def test_who_hears_that_messages_are_forwarded_sends_a_marker_behind_them_and_goes_straight(course, told):
    course.moved(HOME)
    assert told.take() == [(HOME, Marker(BOB, 1))]
    assert (course.way, course.pending) == (HOME, 1)
    assert not course.through(THERE, 1, THERE)  # which was not asked
    assert course.through(HOME, 1, THERE)
    assert (course.way, course.pending) == (THERE, None)


@pytest.mark.parametrize("domain", ["", HERE, HOME])
def test_where_nobody_knows_where_the_agent_is_messages_go_by_its_home(course, domain):
    course.way = THERE
    course.moved(THERE)
    assert course.through(THERE, 1, domain)
    assert course.way == HOME


def test_what_is_forwarded_elsewhere_while_a_marker_is_under_way_is_to_be_told_again(course, told):
    course.moved(HOME)
    course.moved(HOME)
    course.moved(OTHER)
    assert told.take() == [(HOME, Marker(BOB, 1)), (OTHER, Marker(BOB, 2))]
    assert course.pending == 1


def test_who_sends_is_told_once_that_messages_are_forwarded(course, told):
    course.tell_moved(OTHER)
    course.tell_moved(OTHER)
    assert told.take() == [(OTHER, Moved(BOB))]
    course.ended(OTHER)
    course.tell_moved(OTHER)
    assert told.take() == [(OTHER, Moved(BOB))]


def test_a_marker_is_passed_on_and_its_answer_goes_back(course, told):
    course.pass_on(OTHER, 7, HOME)
    assert told.take() == [(HOME, Marker(BOB, 1))]
    assert not course.through(OTHER, 1, THERE)
    assert told.take() == []
    assert not course.through(HOME, 1, THERE)
    assert told.take() == [(OTHER, Through(BOB, 7, THERE))]
    assert course.is_idle


@pytest.mark.parametrize(("ends", "answers"), [(HOME, [(OTHER, Through(BOB, 7, ""))]), (OTHER, [])])
def test_where_a_link_ends_nobody_waits_for_a_marker_that_has_gone_over_it(course, told, ends, answers):
    course.pass_on(OTHER, 7, HOME)
    told.take()
    course.ended(ends)
    assert told.take() == answers
    assert course.is_idle


def test_one_of_an_agent_of_which_nothing_is_known_any_more_is_answered(course, told):
    course.pass_on(OTHER, 7, HOME)
    told.take()
    course.forget()
    assert told.take() == [(OTHER, Through(BOB, 7, ""))]


def test_where_the_link_ends_that_a_marker_has_gone_messages_go_by_the_home(course):
    course.way = THERE
    course.moved(THERE)
    assert not course.ended(OTHER)
    assert course.ended(THERE)
    assert (course.way, course.pending) == (HOME, None)


def test_so_they_do_where_a_straight_way_ends(course):
    course.way = THERE
    assert not course.ended(THERE)
    assert course.way == HOME


def test_the_home_itself_knows_no_other_way(told):
    course = Course(BOB, HOME, THERE, told)
    assert not course.ended(THERE)
    assert course.way == THERE


def test_an_agent_that_comes_takes_what_is_under_way_one_way_after_the_other(course, told):
    assert not course.arrive([THERE, HOME])
    assert told.take() == [(THERE, Marker(BOB, 1))]
    assert not course.through(THERE, 1, HERE)
    assert told.take() == [(HOME, Marker(BOB, 2))]
    assert course.through(HOME, 2, HERE)
    assert (course.way, course.pending) == (None, None)


def test_where_nothing_is_under_way_to_it_there_is_nothing_to_wait_for(course, told):
    course.tell_moved(OTHER)
    told.take()
    assert course.arrive([])
    assert told.take() == []
    assert course.is_idle


def test_a_marker_from_before_it_has_come_is_followed_by_another(course, told):
    course.moved(HOME)
    assert not course.arrive([HOME])
    told.take()
    assert not course.through(HOME, 1, THERE)  # where it was then
    assert told.take() == [(HOME, Marker(BOB, 2))]
    course.moved(HOME)  # which it is no more
    assert told.take() == []
    assert course.ended(HOME)
    assert course.way is None


def test_what_an_agent_leaves_behind_follows_it_straight(course):
    course.arrive([])
    course.leave(THERE)
    assert (course.way, course.pending) == (THERE, None)
