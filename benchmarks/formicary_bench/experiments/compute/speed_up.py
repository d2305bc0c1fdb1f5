"""Agents that only compute, on one core or more: `compute/speed-up`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments import experiment
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import SECONDS, TOTAL, Metric
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import CORES, Agents
from formicary_bench.vocabulary.places import NO_MESSAGES, SAME
from formicary_bench.vocabulary.values import MOST_LOOP

_HERE = "formicary_bench.experiments.compute"
_AGENTS = tuple(2**power for power in range(11))  # as in the paper
_TEN = 10  # its executions

COMPUTATIONS = Parameter(
    name="loop",
    kind=whole(1, MOST_LOOP),
    unit="computations",
    column="each computes",
    help="Number of computations by each agent.",
    default="64 in total, at least one each",
    example=[2],
)


SPEED_UP = Metric("speed_up", "speed-up", more_is_better=True, has_spread=True, is_compared=True)
ELAPSED = replace(TOTAL, column="in all", has_spread=False)
CPU_TIME = Metric("cpu_s", "CPU time", SECONDS, minor=True, is_judged=False)


class Computing(Agents, frozen=True, kw_only=True):
    """Agents with a number of computations each."""

    loop: Annotated[int, COMPUTATIONS] = 0
    cores: Annotated[int, CORES] = 0


EXPERIMENT = experiment.Experiment(
    name="compute/speed-up",
    title="Agents that compute",
    what="CPU time of all computations over elapsed time, by agents and cores",
    source="Pérez-Carro 2013, Section 4.1, Fig. 4",
    repeats=experiment.Repeats(experiment.PEREZ_CARRO, lambda _: {4}),
    parameters=Computing,
    sizes={"agents": _AGENTS},
    placements=(SAME,),
    subjects=(OURS, "processes", "threads"),
    quick=experiment.Preset(
        sizes={"agents": (16,), "loop": (2,)},
        parts=(experiment.Take(subjects=(OURS, "processes"), placements=(SAME,)),),
    ),
    paper=experiment.Preset(sizes={"agents": _AGENTS}, repeat=_TEN),
    carriers=(NO_MESSAGES,),
    selected={TOUR: (experiment.Take(subjects=(OURS, "processes"), sizes={"agents": (8,), "loop": (2,)}),)},
    fit=experiment.Loaded(f"{_HERE}.pipeline:on_cores"),
    profiling=None,
    why_unprofiled="combined figure of several processes",
    duration=experiment.Loaded(f"{_HERE}.pipeline:duration"),
    played_by=f"{_HERE}.players",
    metrics=(SPEED_UP, ELAPSED, CPU_TIME),
    over="agents",
    figures=(
        experiment.Figure(
            metric=SPEED_UP,
            over="agents",
            caption="CPU time of all computations, divided by the time until the last one ends.",
        ),
    ),
    says="{Who}, {agents}: {speed_up} CPU seconds per second of computing{beside}.",
    summarise=experiment.Loaded(f"{_HERE}.pipeline:SUMMARY"),
)
