"""What the directory costs, in all of its designs, beside what a message costs on the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.catalogue import (
    CHURN,
    DEREGISTER,
    PAIRS,
    PROPAGATION,
    REGISTER,
    REGISTER_CPU,
    SEARCH,
    SEARCH_CPU,
    Part,
    Selection,
)
from formicary_bench.experiments.selections import links

if TYPE_CHECKING:
    from formicary_bench.experiments.catalogue import Point, Rounds
    from formicary_bench.subjects.catalogue import Subject

A_MESSAGE = Part(PAIRS, ("formicary-behaviours",), loads=(1,))
"""The message and its answer that the directory is held against."""

PARTS = (
    *(Part(one, services=one.services) for one in (REGISTER, DEREGISTER, SEARCH)),
    Part(PROPAGATION, services=(0,), containers=(1, 3, 7)),
    Part(CHURN),
    A_MESSAGE,
)


def rounds(subject: Subject, point: Point) -> Rounds:
    """Return how many round trips the messages make before, while and after they are measured."""
    return links.rounds(subject, point)


DIRECTORY_CPU = Selection(
    "directory/cpu",
    "where the CPU time of registering and of searching goes",
    tuple(Part(one, services=one.services) for one in (REGISTER_CPU, SEARCH_CPU)),
    rounds,
)
DIRECTORY = Selection("directory", "what the directory costs, in all of its designs", PARTS, rounds)
