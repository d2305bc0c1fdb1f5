"""The experiments of Dikaiakos 2001: agents that are made elsewhere, that move, and that talk over links.

Each makes loops of an operation, of one after the other to all of the largest loop (see `vocabulary.values`).
What is measured is the total time of each loop; from these come the average time of an operation, the peak
rate and the sustained rate, as that paper defines them. Our own are `wake`, with agents that sleep, and
`web_shop`.

- `declared`: the experiments; `pipeline`: how they are planned, summarised and shown
- `loops`: how loops are made, by whomever; `play`: who is in which container, and the agent that makes them
- `creating`, `moving`, `talking` and so on: what agents do; `by_hand`: moves and waking without any
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated, Any

from formicary_bench.experiments.experiment import (
    AS_IT_IS,
    DIKAIAKOS,
    Experiment,
    Loaded,
    Preset,
    Repeats,
    Take,
)
from formicary_bench.experiments.messaging import DIRECTLY, OURS
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.metrics import BYTES, PER_SECOND, SECONDS, TOTAL, Metric
from formicary_bench.vocabulary.names import OF_LOOPS
from formicary_bench.vocabulary.parameters.parameter import Parameter, Parameters
from formicary_bench.vocabulary.parameters.shared import CLIENTS as CLIENTS_AT_ONCE
from formicary_bench.vocabulary.parameters.shared import PAYLOAD
from formicary_bench.vocabulary.places import APART, N_HOSTS, SAME, TWO_HOSTS
from formicary_bench.vocabulary.values import ASLEEP, AWAKE, IN_FILE, MOST_LOOP, WAYS

CPU_GROUP = "agents"

VARIES = ("placement", "route", "tls")
"""What all of them vary, but for what takes place in one process."""

LOOP = Parameter(
    name="loop",
    kind=whole(1, MOST_LOOP),
    unit="operations",
    help="Number of operations of the largest loop; smaller loops come first.",
    default="1000",
    example=[1000],
    few=100,
)
WAY = Parameter(
    name="way",
    kind=choice("way", WAYS),
    in_label=True,
    metavar="WAY,...",
    help="Order of a loop's operations: in-turn, each after the previous one has ended; at-once, all "
    "together.",
    default="both",
    example=list(WAYS),
)


AT_ONCE = replace(CLIENTS_AT_ONCE, in_label=True)

SUSTAINED = Metric(
    "sustained_per_s",
    "operations per second, sustained",
    PER_SECOND,
    "sustained/s",
    more_is_better=True,
    has_spread=True,
    is_compared=True,
)
PEAK = Metric("peak_per_s", "operations per second at the peak", PER_SECOND, "peak/s", more_is_better=True)
SMALLEST = Metric("smallest_loop_per_s", "operations per second of the smallest loop", PER_SECOND)
LARGEST = replace(TOTAL, title="total time of the largest loop", column="total", has_spread=False)
AVERAGE = Metric(
    "average_s", "average time of an operation of the largest loop", SECONDS, "average", is_judged=False
)
HELD = tuple(
    Metric(name, title, BYTES, column, more_is_better=False)
    for name, title, column in (
        (AWAKE, "memory of one awake", "awake holds"),
        (ASLEEP, "memory of one asleep", "asleep holds"),
        (IN_FILE, "file of one asleep", "in the file"),
    )
)
"""What one of the agents holds, as far as it is counted."""


class Looped(Parameters, frozen=True, kw_only=True):
    """Loops of up to so many operations. What does not apply is zero or empty.

    Attributes:
        loop: how many operations the largest loop has.
        way: how these follow each other, where there is a choice.
        pairs: how many clients there are.
        payload_bytes: of a message, or of what an agent carries.
        rate: messages per second that are sent to an agent meanwhile.
    """

    loop: Annotated[int, LOOP] = 0
    way: str = ""
    pairs: int = 0
    payload_bytes: int = 0
    rate: int = 0


class Carrying(Looped, frozen=True, kw_only=True):
    """Loops in which something is sent, or carried."""

    payload_bytes: Annotated[int, PAYLOAD] = 0


class Serving(Carrying, frozen=True, kw_only=True):
    """Loops of the requests of several clients."""

    pairs: Annotated[int, AT_ONCE] = 0


BETWEEN = (APART, TWO_HOSTS)
"""From one place to another."""

HERE_AND_THERE = (SAME, *BETWEEN)
"""Within a place, and from one to another."""

AMONG = (*BETWEEN, N_HOSTS)
"""Among several places, in two processes, or on hosts."""

LOOPS = (1000,)
"""The largest loop in the paper."""

PAPER = Preset(sizes={"loop": LOOPS})
"""What the paper says of its loops."""

CARRIED = 1000
"""Bytes of what an agent carries."""

CLIENTS = (3, 6, 12)
"""How many clients the paper has, of three servers."""

MOVING = (OURS, "tcp")
"""Agents, and the same by hand: what an agent holds is sent, and a task is begun with it there."""

ALONE = Preset(parts=(Take(subjects=(OURS,), placements=(APART,), carriers=DIRECTLY),))
"""Agents alone: bare messages and bare creation are measured by `messaging/pairs` and `create`."""

QUICK = Preset(parts=(Take(subjects=MOVING, placements=(APART,), carriers=DIRECTLY),))

IN_TOUR = {
    names.TOUR: (Take(subjects=MOVING, sizes={"loop": (20,)}, placements=(APART,), carriers=DIRECTLY),)
}
"""What the selection `quick` takes of those that it has."""

_HERE = "formicary_bench.experiments.mobile"
_IRREGULAR = {
    "message and its answer": "messages and their answers",
    "journey there and back": "journeys there and back",
}


def benchmark_of(source: str) -> str:
    """Return what the paper calls the benchmark that an experiment is from; empty where it has none."""
    paper, _, where = source.partition(", ")
    return where.partition(":")[0] if paper == DIKAIAKOS else ""


def figures_in(source: str) -> set[int]:
    """Return the numbers of the figures that a source names: `Fig. 17 to 20` and `Fig. 5`."""
    found = re.search(r"Fig\. (\d+)(?: to (\d+))?", source)
    return set(range(int(found[1]), int(found[2] or found[1]) + 1)) if found else set()


def loops(
    name: str, title: str, what: str, source: str = "our own", *, operation: str, played_by: str, **about: Any
) -> Experiment:
    """Return an experiment that makes loops of an operation."""
    many = _IRREGULAR.get(operation, f"{operation}s")
    benchmark, figures = benchmark_of(source), figures_in(source)
    sustained = replace(SUSTAINED, title=f"{many} per second, sustained")
    holds = f"; one holds {{{AWAKE}}} awake, and asleep {{{ASLEEP}}} and {{{IN_FILE}}} of the file"
    usual: dict[str, Any] = {
        "varies": VARIES,
        "placements": BETWEEN,
        "subjects": MOVING,
        "quick": QUICK,
        "paper": PAPER,
        "duration": Loaded(f"{_HERE}.pipeline:duration"),
    }
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=source,
        repeats=Repeats(DIKAIAKOS, lambda _: figures) if benchmark else None,
        published=OF_LOOPS if benchmark else "",
        benchmark=benchmark,
        metrics=(sustained, LARGEST, AVERAGE, PEAK, *HELD),
        unshown=(SMALLEST,),
        main=sustained,
        over="loop",
        says=f"{{where}}, {{who}}: {{{SUSTAINED.name}}} {many} per second sustained{{beside}}[{holds}].",
        fit=Loaded(f"{_HERE}.pipeline:whole_loops"),
        profiling=AS_IT_IS,
        played_by=f"{_HERE}.{played_by}",
        summarise=Loaded(f"{_HERE}.pipeline:SUMMARY"),
        report=Loaded(f"{_HERE}.pipeline:REPORT"),
        **(usual | about),
    )
