"""Containers with services that join and leave while others search: `directory/hosts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from formicary_bench.experiments.directory import BESIDE, BUILT, METRICS
from formicary_bench.experiments.experiment import BURBECK, Experiment, Figure, Loaded, Preset, Take
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import MICROSECONDS, PART, TIME, Metric
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Exchange, Rounds
from formicary_bench.vocabulary.places import APART, DIRECT, MOST_ON_A_HOST, Carrier

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition

VISITORS = Parameter(
    name="containers",
    kind=whole(1, MOST_ON_A_HOST - 1),
    unit="visiting containers",
    help="Number of containers that join and leave together.",
    example=[1, 4],
    few=3,
)
OFFERED = Parameter(
    name="services",
    kind=whole(1, 100),
    unit="services of each",
    help="Number of services that each of them registers.",
    example=[10],
    few=10,
)
JOINED = Metric(
    "joined_us", "time until the services of joining containers are found", MICROSECONDS, "joined"
)
LEFT = Metric("left_us", "time until those of leaving containers no longer are", MICROSECONDS, "left")
STALE = Metric("stale", "searches with a stale answer", PART, "stale", is_judged=False)
VISITS = Metric("visits", "visits", is_judged=False)

COUNTED = ("joined_s", "joins", "left_s", "leaves", "stale", "searches")
"""Counters: the seconds and numbers of joins and leaves seen by searches, all searches, and stale ones."""


class Visited(Exchange, frozen=True, kw_only=True):
    """Searches for the services of containers that come and go."""

    containers: Annotated[int, VISITORS] = 0
    services: Annotated[int, OFFERED] = 0
    rounds: Annotated[Rounds, ROUNDS] = (0, 0, 0)
    pairs: int = 1


def changes(_: Any, repetition: Repetition, __: Any) -> dict[Metric, float | None]:
    """Return how soon searches showed changes, and how many were stale."""
    joined, joins, left, leaves, stale, searches = (repetition.counters.get(one, 0.0) for one in COUNTED)
    return {
        JOINED: joined / joins * 1e6 if joins else None,
        LEFT: left / leaves * 1e6 if leaves else None,
        STALE: stale / searches if searches else None,
        VISITS: leaves,
    }


EXPERIMENT = Experiment(
    name="directory/hosts",
    title="Containers that come and go",
    what="time of a search while containers join and leave, and how soon and how accurately it reflects them",
    source=f"our own; after the hosts of {BURBECK}, which stay",
    parameters=Visited,
    sizes={"containers": (1, 4), "services": (10,), "rounds": (100, 2000, 0)},
    placements=(APART,),
    carriers=(Carrier(DIRECT),),
    subjects=BUILT,
    quick=Preset(
        sizes={"containers": (1,), "rounds": (20, 200, 0)},
        parts=(Take(subjects=("formicary-central",), placements=(APART,), carriers=(Carrier(DIRECT),)),),
    ),
    paper=Preset(sizes={"containers": (1, 2, 4, 7)}, repeat=10),
    beside=BESIDE,
    profiling=None,
    why_unprofiled="how soon changes are seen",
    duration=Loaded("formicary_bench.experiments.directory.pipeline:duration_of_visits"),
    played_by="formicary_bench.subjects.ours.visits",
    metrics=(*METRICS, JOINED, LEFT, STALE, VISITS),
    main=TIME,
    over="containers",
    figures=(Figure(metric=JOINED, over="containers"), Figure(metric=LEFT, over="containers")),
    says="{Who}, {containers}: half of the searches take {rtt_p50_us} while they come and go"
    "[, and show joining ones after {joined_us}][ and leaving ones after {left_us}]; {stale} are stale.",
    summarise=Loaded("formicary_bench.experiments.directory.pipeline:VISITS"),
)
