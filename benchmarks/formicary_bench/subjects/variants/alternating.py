"""Round trips in one process with and without something, in alternating short windows.

The other work of a machine changes within seconds, and differs between two processes. So each window is
compared with its neighbour, and which of the two comes first alternates: even drifts cancel out.
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

_SETTLING = 0.02  # s after a change, in which routes to agents are made anew
_BETWEEN = 2  # windows with a viewer, between those before and after it


class Window(NamedTuple):
    """The measurement of a short time.

    Attributes:
        is_with: whether it was measured with the thing in question, or after it.
        cpu_s: CPU seconds of the process.
        elapsed_s: seconds.
        trips: the number of round trips.
    """

    is_with: bool
    cpu_s: float
    elapsed_s: float
    trips: int


Turn = tuple[bool, bool | None]
"""Whether it is there in the next window, and as what that counts; None if it does not."""


def in_turns() -> Iterator[Turn]:
    """Yield without, with, with, without, and repeat."""
    return cycle(((False, False), (True, True), (True, True), (False, False)))


def before_and_after(work: Workload, *, comes: bool) -> Iterator[Turn]:
    """Yield without for half of the round trips, then with, then without again."""
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
            return  # some have stopped
        if counts_as is not None:
            windows.append(Window(counts_as, cpu_s, elapsed_s, work.done() - trips))


def times_without(windows: Sequence[Window], *, is_after: bool) -> dict[str, float]:
    """Return the ratios of CPU per round trip and of the rate, with over without.

    Args:
        windows: in order.
        is_after: whether all with come after all without; else they are neighbouring pairs.

    Returns:
        The medians over all pairs of windows, by the figures' names; empty if there are none.
    """
    without, there = ([each for each in windows if each.is_with is wanted] for wanted in (False, True))
    if is_after:
        without.reverse()  # nearest neighbours first
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
