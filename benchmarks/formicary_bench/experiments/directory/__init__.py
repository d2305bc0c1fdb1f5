"""Experiments with the directory of services."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import (
    ALBEROLA,
    Experiment,
    Figure,
    Loaded,
    Preset,
    Repeats,
    Take,
    cpu_tables,
)
from formicary_bench.experiments.messaging import DIRECTLY, HUNDRED, ONE_OR_TWO
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import MEAN, MICROSECONDS, P99, TIME, Metric
from formicary_bench.vocabulary.names import FAMILY, FAMILY_CPU, TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import ROUNDS as HOW_OFTEN
from formicary_bench.vocabulary.parameters.shared import Exchange, Rounds
from formicary_bench.vocabulary.places import AWAY, MOST_ON_A_HOST, SAME, SPLIT, TWO_HOSTS

FIT = Loaded("formicary_bench.experiments.directory.pipeline:of_one_agent")
PROFILING = Loaded("formicary_bench.experiments.directory.pipeline:profiling")
PROFILING_SEARCH = Loaded("formicary_bench.experiments.directory.pipeline:profiling_search")
DURATION = Loaded("formicary_bench.experiments.directory.pipeline:duration")
BESIDE = Loaded("formicary_bench.experiments.directory.pipeline:a_message_and_its_answer")
SUMMARY = Loaded("formicary_bench.experiments.directory.pipeline:SUMMARY")

VARIES = ("spread", "placement", "route", "tls")
"""What most of them vary besides."""

REGISTERED = Parameter(
    name="services",
    kind=whole(0, 1_000_000),
    unit="services",
    help="Number of services registered beforehand.",
    example=[0, 1000],
    few=1000,
)
LEARNING = Parameter(
    name="containers",
    kind=whole(1, MOST_ON_A_HOST),
    unit="other containers",
    help="Number of other containers that learn of a registration.",
    example=[3],
    few=3,
)


TYPICAL = replace(TIME, title="median time")
METRICS = (replace(MEAN, title="mean time"), TYPICAL, P99)
SEEN = Metric(
    "seen_us",
    "median time until all others have seen it",
    MICROSECONDS,
    "seen by others",
    more_is_better=False,
    is_compared=True,
)
SEEN_COUNTER = "seen by others (us)"
"""The counter of that metric."""
BY_SERVICES = (
    Figure(
        metric=METRICS[0],
        over="services",
        title="Time against services registered before",
        caption="Mean time of one use by one agent.",
    ),
)


OF_A_TYPE = 5
"""The number of services of each type: few, whatever the total."""


def types(services: int) -> range:
    """Return the numbers of types for numbers of services."""
    return range(max(1, services // OF_A_TYPE))


def has_type(services: int, number: int) -> int:
    """Return how many of the services have the type with a number."""
    return len(range(number, services, len(types(services))))


def says(use: str, more: str = "") -> str:
    """Return the sentence about a use of the directory."""
    return f"{{where}}, {use} in the {{who}} with {{services}} takes {{rtt_p50_us}} (median){{beside}}{more}."


class Uses(Exchange, frozen=True, kw_only=True):
    """One agent's uses of a directory with a number of services."""

    services: Annotated[int, REGISTERED] = 0
    rounds: Annotated[Rounds, HOW_OFTEN] = (0, 0, 0)


class Spreading(Uses, frozen=True, kw_only=True):
    """Registrations that a number of other containers see."""

    containers: Annotated[int, LEARNING] = 0


SERVICES = (0, 100, 1000, 10_000, 100_000)

ROUNDS = (50, 100, 0)
"""Uses of the directory before and while it is measured; 100, as in Alberola 2010."""

SELECTED = {
    TOUR: (Take(subjects=("formicary-replica",), sizes={"services": (1000,)}, placements=(SAME,)),),
    FAMILY: (Take(sizes={"services": SERVICES}),),
}
"""The parts of an experiment that changes an entry, by selection."""

BUILT = ("formicary-replica", "formicary-central")

# The text only says that there are more than 200 services (Section 5.3.2).
PAPER = Preset(sizes={"services": (0, 100, 200, 300, 400)}, placements=ONE_OR_TWO)


def of_changes(name: str, title: str, what: str, source: str, quick: Take) -> Experiment:
    """Return an experiment that changes one entry again and again; arguments as of `Experiment`."""
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=source,
        repeats=Repeats(
            ALBEROLA,
            lambda rows: {13 if row.placement == TWO_HOSTS else 12 for row in rows},
        ),
        parameters=Uses,
        varies=VARIES,
        sizes={"services": SERVICES, "rounds": ROUNDS},
        spreads=(AWAY,),
        quick=Preset(parts=(quick,)),
        selected=SELECTED,
        paper=PAPER,
        beside=BESIDE,
        fit=FIT,
        profiling=PROFILING,
        duration=DURATION,
        metrics=METRICS,
        main=TYPICAL,
        over="services",
        figures=BY_SERVICES,
        says=says(title[:1].lower() + title[1:]),
        summarise=SUMMARY,
        exchange=name,
    )


def of_cpu(name: str, use: str, first: int, second: int, profiling: Loaded = PROFILING) -> Experiment:
    """Return an experiment about where the CPU time of a use goes."""
    return Experiment(
        name=name,
        title=f"Where the CPU time of {use} goes",
        what=f"where the CPU time of {use} goes, by group",
        source=f"Alberola 2010, Tables {first}, {second}",
        repeats=cpu_tables(first, second),
        parameters=Uses,
        varies=VARIES,
        sizes={"services": (200,)},
        spreads=(SPLIT,),
        exchange=name.replace("cpu-", ""),
        quick=Preset(parts=(Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),)),
        paper=Preset(sizes={"services": (200,)}, repeat=HUNDRED, placements=ONE_OR_TWO),
        selected={FAMILY_CPU: (Take(),)},
        fit=FIT,
        profiling=profiling,
        duration=DURATION,
        metrics=METRICS,
        main=TYPICAL,
        over="services",
        summarise=SUMMARY,
    )
