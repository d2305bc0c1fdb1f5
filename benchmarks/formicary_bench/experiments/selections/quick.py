"""A small selection of all experiments that takes about a minute, and says most of what there is to say.

Bodies are handed over by reference within a process, so their size is varied between two only. SPADE takes
part, where it is installed, in the experiment that everything else is compared by, but with few pairs:
logging in 200 of its agents takes longer than all the rest. Of the directory there is the search in the
replica and at the central one, and the rest in the replica.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.catalogue import (
    CHURN,
    CREATE,
    DEREGISTER,
    MANY_TO_ONE,
    PAIRS,
    PROPAGATION,
    REGISTER,
    SEARCH,
    SIZE,
    Part,
    Selection,
)
from formicary_bench.vocabulary.placements import APART, SAME
from formicary_bench.vocabulary.routes import DIRECT, Carrier

if TYPE_CHECKING:
    from formicary_bench.experiments.catalogue import Point, Rounds
    from formicary_bench.subjects.catalogue import Subject

_DIRECT = (Carrier(DIRECT),)

PARTS = (
    Part(
        PAIRS,
        ("formicary-behaviours", "formicary-micro", "tasks", "callbacks"),
        loads=(1, 10, 100),
        placements=(SAME,),
    ),
    Part(PAIRS, ("formicary-behaviours", "tcp"), loads=(1, 10, 100), placements=(APART,)),
    Part(PAIRS, ("components",), loads=(1, 100), placements=(APART,)),
    Part(PAIRS, ("spade",), loads=(1, 10), placements=(APART,)),
    Part(MANY_TO_ONE, ("formicary-behaviours", "tasks", "tcp"), loads=(100,)),
    Part(
        SIZE,
        ("formicary-behaviours", "tcp"),
        loads=(10,),
        payloads=(10, 1000, 10_000),
        placements=(APART,),
    ),
    Part(CREATE, placements=(SAME,)),
    Part(SEARCH, ("formicary-replica",), services=(0, 1000), placements=(SAME,)),
    Part(SEARCH, ("formicary-central",), services=(1000,), placements=(SAME,)),
    Part(SEARCH, ("formicary-central",), services=(1000,), placements=(APART,), carriers=_DIRECT),
    Part(REGISTER, ("formicary-replica",), services=(1000,), placements=(SAME,)),
    Part(DEREGISTER, ("formicary-replica",), services=(1000,), placements=(SAME,)),
    Part(
        PROPAGATION,
        ("formicary-replica",),
        services=(0,),
        containers=(3,),
        placements=(APART,),
        carriers=_DIRECT,
    ),
    Part(CHURN, ("formicary-replica",), agents=(10_000,), placements=(APART,), carriers=_DIRECT),
)


def rounds(subject: Subject, point: Point) -> Rounds:
    """Return how many round trips each pair makes before, while and after it is measured.

    Few pairs make more of them, so that each measurement takes a part of a second, also on a slow machine.
    What comes after is long enough for the slowest pair to be measured while the fastest still sends; two
    processes and what connects them are less even than one queue, and one pair needs nothing after it.
    """
    in_all, fewest, most = _SLOW.get(subject.platform) or _TRIPS[point.carrier.route]
    if point.placement != SAME:
        in_all //= 1 + point.payload // _LARGE
        fewest = max(fewest // (1 + point.payload // _HUGE), _FEWEST)
    measured = max(fewest, min(in_all // point.load, most))
    after = measured // 2 if point.placement == SAME else measured
    return measured // 4, measured, 0 if point.load == 1 else after


# Measured round trips of all pairs together; the fewest and the most of each.
_TRIPS = {
    "in-process": (60_000, 600, 20_000),
    "own": (4_000, 100, 1_000),
    "xmpp": (4_000, 100, 1_000),
    "direct": (12_000, 150, 2_000),
    "auto": (12_000, 150, 2_000),
    "tcp": (12_000, 150, 2_000),
}
_SLOW = {"components": (2_000, 40, 1_000), "spade": (1_000, 30, 300)}
_LARGE = 1_000  # bytes of a body that take about as long as all the rest of a round trip
_HUGE = 5_000  # bytes from which on even the fewest round trips take long
_FEWEST = 20

QUICK = Selection("quick", "a minute with some of all", PARTS, rounds)
