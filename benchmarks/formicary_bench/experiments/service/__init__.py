"""A service with a coordinator: `service/mediated`, as in Frantz 2010, Section 2.6.

- `rounds`: making and recording rounds, fetching and printing; the same for all
- `players`: agents with behaviours, micro-agents, and the same by tasks and by functions
- `worker`: their process
- `rows`: summarising
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import (
    AS_IT_IS,
    FRANTZ,
    Experiment,
    Figure,
    Loaded,
    Preset,
    Repeats,
    Take,
)
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.metrics import BYTES, HOLDS, PER_SECOND, RATE, TOTAL, Metric
from formicary_bench.vocabulary.names import MEDIATED, OF_A_SERVICE, TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter, Parameters
from formicary_bench.vocabulary.places import SAME

CPU_GROUP = "agents"


_HERE = "formicary_bench.experiments.service"
_SUBJECTS = (OURS, "formicary-micro", "tasks", "callbacks")

REQUESTS = Parameter(
    name="requests",
    kind=whole(1, 10_000_000),
    unit="rounds",
    help="Number of rounds, each with a request from the client.",
    example=[1000],
    few=10_000,
)


ROUNDS = replace(RATE, title="rounds per second", column="rounds/s")
MESSAGES = Metric(
    "messages_per_s", "messages per second", PER_SECOND, "messages/s", minor=True, is_judged=False
)
GREW = Metric("grew_bytes", "memory growth of the process", BYTES, "grew by", is_judged=False)


class Mediated(Parameters, frozen=True, kw_only=True):
    """A number of rounds."""

    requests: Annotated[int, REQUESTS] = 0


EXPERIMENT = Experiment(
    name=MEDIATED,
    title="A service with a coordinator",
    what="time for rounds in which a coordinator makes one agent fetch and another print; memory",
    source="Frantz 2010, Fig. 1, Table 1",
    repeats=Repeats(FRANTZ, lambda _: {1}),
    parameters=Mediated,
    sizes={"requests": (1000, 10_000, 100_000)},
    placements=(SAME,),
    subjects=_SUBJECTS,
    exchange=MEDIATED,
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    paper=Preset(sizes={"requests": (1000, 10_000, 100_000, 1_000_000)}, repeat=10),
    profiling=AS_IT_IS,
    duration=Loaded(f"{_HERE}.rounds:duration"),
    selected={TOUR: (Take(subjects=_SUBJECTS, sizes={"requests": (10_000,)}, placements=(SAME,)),)},
    played_by=f"{_HERE}.worker",
    metrics=(TOTAL, ROUNDS, MESSAGES, HOLDS, GREW),
    main=ROUNDS,
    over="requests",
    figures=(Figure(metric=TOTAL, over="requests"),),
    says="{requests} take {who} {total_s}, {round_trips_per_s} per second{beside}[; the process grows "
    "by {grew_bytes}].",
    summarise=Loaded(f"{_HERE}.rows:SUMMARY"),
    published=OF_A_SERVICE,
)
