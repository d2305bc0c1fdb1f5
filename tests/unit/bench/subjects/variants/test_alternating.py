"""Windows with something and without, one after the other, on virtual time."""

from __future__ import annotations

import asyncio
import math
from itertools import islice
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.subjects.variants.alternating import (
    WINDOW,
    Window,
    alternate,
    before_and_after,
    in_turns,
    times_without,
)
from formicary_bench.vocabulary.values import CPU_TIMES, RATE_TIMES


class Work:
    """Pairs of which each makes a thousand round trips in a second."""

    def __init__(self, pairs, trips, warm_up=0):
        self.trips = trips
        self.exchange = SimpleNamespace(warm_up=warm_up)
        self.times = [SimpleNamespace(rtts=[]) for _ in range(pairs)]

    def done(self):
        return sum(len(times.rtts) for times in self.times)

    async def talk(self):
        for _ in range(self.trips):
            await asyncio.sleep(0.001)
            for times in self.times:
                times.rtts.append(1)


async def alternated(work, turns):
    changes, windows = [], []

    async def change(is_there):
        changes.append((work.done(), is_there))

    watching = asyncio.get_running_loop().create_task(alternate(work, turns, change, windows))
    await work.talk()
    watching.cancel()
    await asyncio.wait([watching])
    return changes, windows


@pytest.mark.virtual_clock
async def test_windows_alternate_so_that_each_comes_first_as_often():
    work = Work(2, 2000, warm_up=300)
    changes, windows = await alternated(work, in_turns())
    assert [each.is_with for each in windows] == [False, True, True, False, False, True, True]
    assert min(done for done, _ in changes) >= 2 * 300
    assert all(each.trips == pytest.approx(2 * 1000 * WINDOW, abs=4) for each in windows)


@pytest.mark.virtual_clock
async def test_all_before_comes_before_and_what_is_between_does_not_count():
    work = Work(1, 3000)
    changes, windows = await alternated(work, before_and_after(work, comes=True))
    kinds = [each.is_with for each in windows]
    assert kinds == sorted(kinds)
    assert False in kinds
    assert True in kinds
    there = [done for done, is_there in changes if is_there]
    assert len(there) == 2
    assert min(there) >= 1500
    assert len(changes) - len(windows) in {2, 3}  # those, and one in which the first pair had ended


def windows_of(*rows):
    return [Window(is_with, cpu, 1.0, trips) for is_with, cpu, trips in rows]


def test_neighbours_are_held_against_each_other():
    found = times_without(
        windows_of(
            (False, 1.0, 100), (True, 1.1, 100), (True, 4.4, 100), (False, 4.0, 100), (False, 9.0, 100)
        ),
        is_after=False,
    )
    assert found == {CPU_TIMES: pytest.approx(1.1), RATE_TIMES: pytest.approx(1.0)}


def test_what_comes_after_is_held_against_what_is_nearest_before():
    found = times_without(
        windows_of((False, 9.0, 10), (False, 2.0, 100), (True, 1.0, 50), (True, 9.0, 10)), is_after=True
    )
    assert found == {CPU_TIMES: pytest.approx(1.0), RATE_TIMES: pytest.approx(math.sqrt(0.5))}


@pytest.mark.parametrize("is_after", [False, True])
def test_nothing_is_said_where_there_are_no_two_windows(is_after):
    assert times_without([], is_after=is_after) == {}
    assert times_without(windows_of((False, 1.0, 10)), is_after=is_after) == {}
    assert times_without(windows_of((False, 1.0, 10), (True, 1.0, 0)), is_after=is_after) == {}


@given(st.integers(1, 20), st.floats(0.9, 1.1), st.floats(1.0, 1.3))
def test_what_rises_evenly_cancels_out(cycles, drift, cost):
    kinds = list(islice(in_turns(), 4 * cycles))
    windows = [
        Window(is_with, drift**number * (cost if is_with else 1.0), 1.0, 100)
        for number, (is_with, _) in enumerate(kinds)
    ]
    assert times_without(windows, is_after=False)[CPU_TIMES] == pytest.approx(cost)
