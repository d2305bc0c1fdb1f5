"""What round trips take in one process with something and without it, in short windows one after the other.

What else a machine does changes within seconds, and is not the same in two processes. So each window is held
against its neighbour, and which of the two comes first alternates: what rises or falls evenly cancels out.
"""

from __future__ import annotations

import asyncio
import math
import time
from itertools import chain, cycle
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.vocabulary.values import CPU_TIMES, RATE_TIMES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

WINDOW = 0.2
"""Seconds of a window: two answers to a viewer."""

_SETTLING = 0.02  # s after a change: the ways to agents are made anew
_BETWEEN = 2  # windows with a viewer between those before it and those after it


class Window(NamedTuple):
    """What was measured in a short time.

    Attributes:
        is_with: whether it was with what is looked at, or after it.
        cpu_s: seconds of CPU of the process.
        elapsed_s: seconds.
        trips: how many round trips were made.
    """

    is_with: bool
    cpu_s: float
    elapsed_s: float
    trips: int


Turn = tuple[bool, bool | None]
"""Whether it is there in the next window, and as what that counts; None if it does not."""


def in_turns() -> Iterator[Turn]:
    """Return without, with, with, without, and again."""
    return cycle(((False, False), (True, True), (True, True), (False, False)))


def before_and_after(work: Workload, *, comes: bool) -> Iterator[Turn]:
    """Yield without for half of the round trips, then with if it comes, then without as after."""
    half = len(work.times) * work.trips / 2

    def before() -> Iterator[Turn]:
        while work.done() < half:
            yield False, False

    return chain(before(), [(comes, None)] * _BETWEEN, cycle([(False, True)]))


async def alternate(
    work: Workload,
    turns: Iterator[Turn],
    change: Callable[[bool], Awaitable[None]],
    windows: list[Window],
) -> None:
    """Measure window after window while all pairs talk."""
    while min(len(times.rtts) for times in work.times) < work.exchange.warm_up:  # noqa: ASYNC110 -- a count
        await asyncio.sleep(_SETTLING)
    for is_there, counts_as in turns:
        await change(is_there)
        await asyncio.sleep(_SETTLING)
        trips, cpu, began = work.done(), time.process_time(), time.perf_counter()
        await asyncio.sleep(WINDOW)
        cpu_s, elapsed_s = time.process_time() - cpu, time.perf_counter() - began
        if max(len(times.rtts) for times in work.times) >= work.trips:
            return  # not all of them talk any more
        if counts_as is not None:
            windows.append(Window(counts_as, cpu_s, elapsed_s, work.done() - trips))


def times_without(windows: Sequence[Window], *, is_after: bool) -> dict[str, float]:
    """Return how many times as much CPU round trips take with it, and at which part of the rate they go.

    Args:
        windows: in their order.
        is_after: whether all with it come after all without; else they are neighbours in twos.

    Returns:
        The medians over all twos of windows, by the figures' names; nothing where there are none.
    """
    without, there = ([each for each in windows if each.is_with is wanted] for wanted in (False, True))
    if is_after:
        without.reverse()  # so that those that are nearest to each other come first
    logs = [
        (_log(one.cpu_s / one.trips, base.cpu_s / base.trips), _log(_rate(one), _rate(base)))
        for base, one in zip(without, there, strict=False)
        if min(base.trips, one.trips, base.cpu_s, one.cpu_s) > 0
    ]
    if not logs:
        return {}
    cpu, rate = (math.exp(median(each)) for each in zip(*logs, strict=True))
    return {CPU_TIMES: cpu, RATE_TIMES: rate}


def _rate(window: Window) -> float:
    return window.trips / window.elapsed_s


def _log(value: float, base: float) -> float:
    return math.log(value / base)
