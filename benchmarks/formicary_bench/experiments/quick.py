"""A small selection of all experiments that takes about a minute, and says most of what there is to say.

Bodies are handed over by reference within a process, so their size is varied between two only. SPADE takes
part, where it is installed, in the experiment that everything else is compared by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.catalogue import CREATE, MANY_TO_ONE, PAIRS, SIZE, Part
from formicary_bench.platforms.catalogue import APART, SAME

if TYPE_CHECKING:
    from formicary_bench.platforms.catalogue import Subject

NAME = "quick"
REPETITIONS = 2


PARTS = (
    Part(PAIRS, loads=(1, 10, 100)),
    Part(MANY_TO_ONE, ("formicary-behaviours", "tasks", "tcp"), loads=(10, 100)),
    Part(
        SIZE,
        ("formicary-behaviours", "tcp"),
        loads=(10,),
        payloads=(10, 1000, 10_000),
        placements=(APART,),
    ),
    Part(CREATE, placements=(SAME,)),
)


def rounds(subject: Subject, placement: str, load: int) -> tuple[int, int, int]:
    """Return how many round trips each pair makes before, while and after it is measured.

    Few pairs make more of them, so that each measurement takes a good part of a second; what comes after is
    long enough for the slowest pair to be measured while the fastest still sends.
    """
    if subject.platform == "spade":
        measured = _between(30, 3_000 // load, 300)
    elif placement == APART:
        measured = _between(500, 40_000 // load, 4_000)
    else:
        measured = _between(1_000, 200_000 // load, 40_000)
    return measured // 4, measured, measured // 2


def _between(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))
