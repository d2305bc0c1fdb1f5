"""Samples that have a thread wait do not count, as far as its clock knows nothing of them."""

from __future__ import annotations

import concurrent.futures.thread
import selectors
import threading

import pytest

from formicary.profiling.model.profile import Frame
from formicary.profiling.sampling.clocks import ThreadUse
from formicary.profiling.sampling.sampler import SampledThread
from formicary.profiling.sampling.waits import in_doubt, seconds_of_a_switch, without_waits

RATE = 50
WORK = (Frame("Trader.run", "/home/ada/market.py", 3),)
WAIT = (Frame("Queue.get", threading.__file__), Frame("Condition.wait", threading.__file__))
IDLE = (Frame("_worker", concurrent.futures.thread.__file__),)
SELECT = (Frame("EpollSelector.select", selectors.__file__),)


def left(samples, cpu_s, lived_s=10.0, switches=0, switch_s=0.0):
    thread = SampledThread(1, 2, "a thread", samples)
    return without_waits(thread, ThreadUse("a thread", cpu_s, lived_s, switches), RATE, switch_s).stacks


def test_waits_are_left_out_where_there_are_more_samples_than_the_clock_says():
    assert left([WORK, WAIT, IDLE] * 100, 2.0) == {WORK: 100}
    assert left([WORK, ()] * 100, 1.0) == {WORK: 100}


def test_they_stay_where_the_clock_says_as_many():
    assert left([WORK, WORK, WAIT, IDLE] * 25, 2.0) == {WORK: 50, WAIT: 25, IDLE: 25}


def test_an_event_loop_keeps_what_the_clock_says_all_over_the_window():
    samples = [WORK] * 80 + [SELECT] * 120
    assert left(samples, 2.0) == {WORK: 80, SELECT: 20}
    assert left(samples, 1.0) == {WORK: 80}


def test_an_event_loop_that_never_waits_stands_in_line_as_it_works():
    assert left([WORK, SELECT] * 250, 2.0) == {WORK: 250, SELECT: 250}


def test_a_thread_whose_clock_was_not_read_keeps_all():
    thread = SampledThread(1, 2, "a thread", [WORK, WAIT] * 100)
    assert without_waits(thread, None, RATE) == thread


def test_a_wait_further_out_is_none():
    assert left([(*WAIT, *WORK), WAIT] * 100, 1.0) == {(*WAIT, *WORK): 100}


def test_as_many_stay_as_are_worth_what_waiting_takes():
    # 500 times 0.2 ms is a twentieth of 2 s.
    assert left([WORK, WAIT, WAIT] * 95, 2.0, 10.0, 500, 0.0002) == {WORK: 95, WAIT: 5}
    assert left([WORK, SELECT] * 95, 1.0, 10.0, 250, 0.0002) == {WORK: 95, SELECT: 5}
    assert left([WORK] * 190, 2.0, 10.0, 500, 0.0002) == {WORK: 190}


def test_a_thread_that_only_waits_shows_what_that_takes():
    sampled = [
        SampledThread(1, 2, "begins, and waits", [WORK] + [WAIT] * 20),
        SampledThread(1, 3, "works", [WORK] * 10),
        SampledThread(1, 4, "hardly there", [IDLE]),
    ]
    used = {
        2: ThreadUse("", 0.02, 10.0, 1000),
        3: ThreadUse("", 0.01, 10.0, 1000),
        4: ThreadUse("", 0.0, 10.0, 3),
    }
    assert seconds_of_a_switch(sampled, used) == 0.02 / 1000
    assert seconds_of_a_switch(sampled[1:], used) == 0.0


def doubt(samples, cpu_s):
    return in_doubt(SampledThread(1, 2, "a thread", samples), ThreadUse("a thread", cpu_s, 6.0), RATE)


def test_a_loop_in_line_for_a_processor_leaves_in_doubt_what_it_used():
    # As recorded of a timer every 0.5 ms beside two busy processes on two processors; 57% of it is work.
    recorded = [SELECT] * 198 + [WORK] * 45 + [WAIT] * 4
    assert doubt(recorded, 0.35) == pytest.approx(0.35)
    # And beside what little the machine did else, where less than half of it can be what the loop ran.
    assert doubt([SELECT] * 157 + [WORK] * 22, 0.85) == pytest.approx(22 / RATE)


def test_nothing_is_in_doubt_without_a_line_or_a_loop():
    assert doubt([SELECT] * 25 + [WORK] * 75, 2.0) == 0.0
    assert doubt([WORK, WAIT] * 100, 1.0) == 0.0
    assert in_doubt(SampledThread(1, 2, "a thread", [SELECT] * 100), None, RATE) == 0.0
