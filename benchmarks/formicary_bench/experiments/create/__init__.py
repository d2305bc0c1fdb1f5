"""Agents that are created and started: `create`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Experiment, Loaded
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.roles import CREATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject

EXPERIMENT = Experiment(
    name="create",
    title="Creating agents",
    what="agents created and started per second, and the memory of each",
    source="Dikaiakos 2001, CL; Alberola 2010, Table 8",
    varies=("agents",),
    agents=(10_000,),
    placements=(SAME,),
    plan=Loaded("formicary_bench.experiments.create:plan_creation"),
    roles=(CREATE,),
    report=Loaded("formicary_bench.experiments.create.report:REPORT"),
)


def plan_creation(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give how many agents each platform creates."""
    from formicary_bench.runner.planning.hosts import placements_of

    points = product(placements_of(part, options), options.agents or EXPERIMENT.agents, subjects)
    for placement, agents, subject in points:
        yield Configuration(
            experiment=EXPERIMENT.name,
            platform=subject.platform,
            kind=subject.kind,
            placement=placement,
            route="none",
            agents=agents,
        )
