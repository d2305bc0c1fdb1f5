"""When all pairs are in T2 together: said as it happens, with what must be read at that moment."""

from __future__ import annotations

import asyncio
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary_bench.worker.messages import Mark
from formicary_bench.worker.sockets import carried

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.worker.workload import Workload

_SECONDS_BETWEEN_LOOKS = 0.002  # a thousandth of a window of a second or two; a look at 100 pairs takes 10 µs
_LOOPBACK = ("lo", "lo0")


async def mark_window(work: Workload, say: Callable[[Mark], None]) -> None:
    """Say when all pairs have entered T2, and when the first one has left it.

    Nothing is said of a window that there was not.

    Args:
        work: whose round trips are looked at.
        say: called at each of the two moments.
    """
    first = work.exchange.warm_up
    last = first + work.exchange.measured
    times = [times.rtts for times in work.times]
    wire_counters()  # loads what reads them
    while min(map(len, times)) < first or not any(times):  # noqa: ASYNC110 -- pairs must not know of it
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    if max(map(len, times)) >= last:
        return
    say(mark_now(work, begins=True))
    while max(map(len, times)) < last:  # noqa: ASYNC110 -- as above
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    say(mark_now(work, begins=False))


def wire_counters() -> tuple[int, int]:
    """Return the bytes and packets that the loopback interface has carried; zeros where that is not known."""
    import psutil

    interfaces = psutil.net_io_counters(pernic=True)
    for name in _LOOPBACK:
        if name in interfaces:
            return interfaces[name].bytes_sent, interfaces[name].packets_sent
    return 0, 0


def mark_now(work: Workload, *, begins: bool) -> Mark:
    """Return what is to be said of this moment."""
    return Mark(begins, work.done(), perf_counter_ns(), wire_counters(), carried(work.job.server))
