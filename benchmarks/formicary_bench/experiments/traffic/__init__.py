"""Agents that make traffic on the cores of a machine: Pérez-Carro 2013, Sections 3.2.2 and 4.2 to 4.5.

- `players`: who sends to whom, the agents, and their processes
- `pipeline`: planning and reports
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from formicary_bench.experiments.experiment import PEREZ_CARRO, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.names import TOUR, TRAFFIC_POOL
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import AGENTS_AT_ONCE, CORES, Talk
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import SYNCHRONOUS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CPU_GROUP = "agents"


MOST_CONTAINERS = 16
"""The most threads in the paper."""

CONTAINERS = Parameter(
    name="containers",
    kind=whole(1, MOST_CONTAINERS),
    unit="containers",
    elsewhere="threads",
    in_label=True,
    is_layout=True,
    help="Number of containers, each in its own process, to spread the agents over; for other platforms, "
    "threads of their pool.",
    example=[2],
    few=3,
)
RECEIVERS = Parameter(
    name="receivers",
    kind=whole(1, 10_000),
    unit="receivers",
    help="Number of receivers for all senders.",
    default="1; as many as senders; with 256 senders, 2 to 256",
    example=[1, 16],
    absent=0,
)


class Traffic(Talk, frozen=True, kw_only=True):
    """Agents that send to each other in turn, or to a number of receivers."""

    containers: Annotated[int, CONTAINERS] = 1
    cores: Annotated[int, CORES] = 0
    pairs: Annotated[int, AGENTS_AT_ONCE] = 0


class Reception(Traffic, frozen=True, kw_only=True):
    """Agents that send to a number of receivers."""

    echoes: Annotated[int, RECEIVERS] = 0


AGENTS = (8, 16, 32, 64, 128, 256)
"""The numbers of agents, or senders, in the paper."""

SYNCHRONOUSLY = f"formicary-{SYNCHRONOUS}"
"""Our agents in cycles: all behaviours do one cycle before any does its next."""

_HERE = "formicary_bench.experiments.traffic"
_TEN = 10  # repetitions of each configuration in the paper
_FEW = 10
_OURS_ALONE = Take(subjects=(OURS,), placements=(SAME,))


IN_CYCLES, ALONE, POOLED = "synchronous", "asynchronous", "pool"
"""The paper's ways to run agents: cycle by cycle, with a thread for each agent, or with a pool of threads."""


def repeated(rows: Sequence[Any], figures: Mapping[str, int]) -> set[str]:
    """Return the figures of the paper that rows repeat: one for each way to run agents and pattern."""
    return {
        f"{figures[way]}{_pattern(Reception.of(row))}"
        for row in rows
        if row.platform == "formicary"
        for way in [IN_CYCLES if row.kind == SYNCHRONOUS else POOLED if row.size("containers") > 1 else ALONE]
    }


def _pattern(one: Reception) -> str:
    """Return the part of the paper's figures for a pattern of receivers."""
    if not one.echoes:
        return "a"
    if one.echoes == 1:
        return "b"
    return "c" if one.echoes == one.pairs else "d"


TIMES, SPEED_UPS = {IN_CYCLES: 5, ALONE: 6, POOLED: 7}, {IN_CYCLES: 8, ALONE: 9, POOLED: 10}


def traffic(
    name: str,
    title: str,
    what: str,
    source: str,
    figures: dict[str, int],
    *,
    pairs: tuple[int, ...] = AGENTS,
    containers: tuple[int, ...] = (1, 2),
    short: tuple[int, ...] = (2,),
    parameters: type[Traffic] = Traffic,
    subjects: tuple[str, ...] = (OURS, SYNCHRONOUSLY, "tasks"),
    selected: Mapping[str, tuple[Take, ...]] | None = None,
) -> Experiment:
    """Return an experiment of the family.

    Args:
        name: as of `Experiment`.
        title: likewise.
        what: likewise.
        source: likewise.
        figures: the figures of the paper that it repeats, by how agents run; none if empty.
        pairs: its numbers of agents.
        containers: its numbers of containers.
        short: the numbers of containers of a short run.
        parameters: as of `Experiment`.
        subjects: likewise.
        selected: likewise.
    """
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=f"Pérez-Carro 2013, {source}",
        repeats=Repeats(PEREZ_CARRO, lambda rows: repeated(rows, figures)) if figures else None,
        parameters=parameters,
        sizes={"pairs": pairs, "payload_bytes": (100,), "containers": containers},
        placements=(SAME,),
        subjects=subjects,
        exchange=name,
        quick=Preset(sizes={"pairs": (_FEW,), "containers": short}, parts=(_OURS_ALONE,)),
        paper=Preset(sizes={"pairs": pairs}, repeat=_TEN),
        selected=selected or {},
        fit=Loaded(f"{_HERE}.pipeline:patterns"),
        profiling=None,
        why_unprofiled="combined figure of several processes",
        duration=Loaded(f"{_HERE}.pipeline:duration"),
        played_by=f"{_HERE}.players",
        over="pairs",
        says="{where}, {who}, {pairs}[ to {echoes}]: {rtt_mean_us} mean round trip, "
        "{round_trips_per_s} round trips/s{beside}.",
        report=Loaded(f"{_HERE}.pipeline:REPORT"),
    )


RING = traffic(
    "traffic/ring",
    "Agents that send to all others in turn",
    "round-trip time of many agents, each sending to the next, the next but one, and so on",
    "Test 1: Fig. 5a, 6a, 7a",
    TIMES,
    selected={
        TOUR: (
            Take(subjects=(OURS, "tasks"), sizes={"pairs": (10,), "containers": (2,)}, placements=(SAME,)),
        )
    },
)


MASSIVE_RECEPTION = traffic(
    "traffic/massive-reception",
    "Many senders, and one to as many receivers",
    "round-trip time of senders, each with one of several receivers",
    "Test 2: Fig. 5b to 5d, 6b to 6d, 7b to 7d",
    TIMES,
    parameters=Reception,
)


POOL_SIZE = traffic(
    TRAFFIC_POOL,
    "Containers and cores",
    "round-trip time of a ring of agents, by containers and cores",
    "Section 4.4",
    {},
    pairs=(64,),
    containers=(1, 2, 3, 4),
    short=(1, 2),
    subjects=(OURS,),
)


SPEED_UP = traffic(
    "traffic/speed-up",
    "Speed-up of traffic with more cores",
    "total time on one core relative to several, in a ring and in massive reception",
    "Fig. 8 to 10",
    SPEED_UPS,
    parameters=Reception,
    subjects=(OURS, SYNCHRONOUSLY),
)
