"""How experiments with agents that compute are planned."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.runner.planning.cores import cores_of, few_cores_of, is_short
from formicary_bench.runner.planning.hosts import frame, layouts_of
from formicary_bench.vocabulary.routes import Carrier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

COMPUTATIONS = 64
"""Of few agents together: so many that begin and end of a measurement do not matter."""

_NO_MESSAGES = Carrier("none")


def plan_computations(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give all numbers of agents on all numbers of cores.

    Raises:
        UsageError: the machine has fewer cores than were asked for.
    """
    points = product(
        few_cores_of(options) if is_short(part, options) else cores_of(options),
        options.agents or part.agents or part.experiment.agents,
        layouts_of(part, options),
        subjects,
    )
    for cores, agents, layout, subject in points:
        for loop in options.loops or part.loops or (max(COMPUTATIONS // agents, 1),):
            yield replace(frame(part, subject, layout, _NO_MESSAGES), agents=agents, loop=loop, cores=cores)
