"""When messages are to be sent in an open loop: a schedule that is made before, from a seed. Pure.

Senders take turns, so that all of them together have the rate that was asked for. With `constant` arrivals
a message is due after equal times; with `poisson` arrivals the times between are those of a Poisson process,
whose messages come in bunches, as those of many people who know nothing of each other do.
"""

from __future__ import annotations

import random
from array import array
from itertools import accumulate

CPU_GROUP = "agents"

ARRIVALS = CONSTANT, POISSON = "constant", "poisson"
"""How messages of an open loop follow each other."""

HEAD = 8
"""Bytes at the begin of a body that say which message it is: the smallest payload of an open loop."""

LOST = -1
"""The time of a message that was never answered."""

LATE, LATEST_US = "late sends", "latest send us"
"""The counters: how many measured messages were sent late, and how late the latest one was."""

_SECOND = 1e9


def schedule(arrivals: str, rate: int, count: int, seed: int) -> array[int]:
    """Return when messages are to be sent, in nanoseconds from the begin, in order.

    Args:
        arrivals: one of `ARRIVALS`.
        rate: messages per second, of all senders together.
        count: how many messages they send.
        seed: for the random times; equal seeds make equal schedules.
    """
    if arrivals == CONSTANT:
        return array("q", (round(number * _SECOND / rate) for number in range(count)))
    generator = random.Random(seed)
    gaps = (generator.expovariate(rate) * _SECOND for _ in range(count))
    return array("q", map(round, accumulate(gaps)))
