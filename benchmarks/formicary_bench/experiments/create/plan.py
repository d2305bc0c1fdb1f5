"""How `create` is planned."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formicary_bench.runner.planning.hosts import placements_of
from formicary_bench.vocabulary.configuration import Configuration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject


def plan_creation(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give how many agents each platform creates."""
    points = product(placements_of(part, options), options.agents or part.experiment.agents, subjects)
    for placement, agents, subject in points:
        yield Configuration(
            experiment=part.experiment.name,
            platform=subject.platform,
            kind=subject.kind,
            placement=placement,
            route="none",
            agents=agents,
        )
