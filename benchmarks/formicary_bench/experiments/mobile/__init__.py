"""The experiments of Dikaiakos 2001: agents that are created elsewhere, move, and talk over links.

Each makes loops of an operation, from the smallest to the largest (see `vocabulary.values`), and measures the
total time of each loop. These give the average time of an operation, the peak rate and the sustained rate, as
the paper defines them. `wake` and `web_shop` are our own.

- `declared`, `patterns`: the experiments; `pipeline`: planning, summarising and showing them
- `loops`: loops for all players; `play`: who is in which container, and the agent that makes the loops
- `creating`, `moving`, `talking` and so on: the agents; `by_hand`: hops without agents
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from formicary_bench.experiments.experiment import (
    AS_IT_IS,
    DIKAIAKOS,
    Experiment,
    Figure,
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
from formicary_bench.vocabulary.parameters.shared import PAYLOAD
from formicary_bench.vocabulary.places import APART, N_HOSTS, SAME, TWO_HOSTS
from formicary_bench.vocabulary.values import ASLEEP, AWAKE, IN_FILE, MOST_LOOP

CPU_GROUP = "agents"

VARIES = ("placement", "route", "tls")
"""What all of them vary, except those in one process."""

LOOP = Parameter(
    name="loop",
    kind=whole(1, MOST_LOOP),
    unit="operations",
    help="Number of operations of the largest loop; smaller loops come first.",
    default="1000",
    example=[1000],
    few=100,
)


def way(values: tuple[str, ...], what: str, base: str | None = None) -> Parameter:
    """Return a parameter with several ways."""
    return Parameter(
        name="way",
        kind=choice("way", values),
        in_label=True,
        metavar="WAY,...",
        help=what,
        default="both",
        example=list(values),
        base=base,
    )


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
        (AWAKE, "memory of an agent awake", "awake holds"),
        (ASLEEP, "memory of an agent asleep", "asleep holds"),
        (IN_FILE, "file size of an agent asleep", "in the file"),
    )
)
"""The memory of an agent."""


class Looped(Parameters, frozen=True, kw_only=True):
    """Loops of operations; what does not apply is zero or empty.

    Attributes:
        loop: the number of operations in the largest loop.
        way: how these follow each other, where there is a choice.
        pairs: the number of clients.
        payload_bytes: the size of a message, or of what an agent carries.
        rate: messages per second sent to an agent meanwhile.
        pattern: who mediates between clients and servers.
        exchanges: the number of messages and answers at a meeting.
    """

    loop: Annotated[int, LOOP] = 0
    way: str = ""
    pairs: int = 0
    payload_bytes: int = 0
    rate: int = 0
    pattern: str = ""
    exchanges: int = 0


class Carrying(Looped, frozen=True, kw_only=True):
    """Loops in which something is sent or carried."""

    payload_bytes: Annotated[int, PAYLOAD] = 0


BETWEEN = (APART, TWO_HOSTS)
"""From one place to another."""

HERE_AND_THERE = (SAME, *BETWEEN)
"""Within a place, and from one to another."""

AMONG = (*BETWEEN, N_HOSTS)
"""Among several places, in two processes, or on hosts."""

LOOPS = (1000,)
"""The largest loop in the paper."""

PAPER = Preset(sizes={"loop": LOOPS})
"""The loops of the paper."""

CARRIED = 1000
"""The payload of an agent, in bytes."""

MOVING = (OURS, "tcp")
"""Agents, and the same by hand: an agent's state is sent, and a task continues with it there."""

_ALONE = Take(subjects=(OURS,), placements=(APART,), carriers=DIRECTLY)
ALONE = Preset(parts=(_ALONE,))
"""Agents alone: bare messages and bare creation are measured by `messaging/pairs` and `create`."""

IN_TOUR = {names.TOUR: (replace(_ALONE, sizes={"loop": (20,)}),)}
"""The part of these experiments in the tour."""

BESIDE: dict[str, Any] = {
    "subjects": MOVING,
    "quick": Preset(parts=(replace(_ALONE, subjects=MOVING),)),
    "selected": {names.TOUR: (replace(IN_TOUR[names.TOUR][0], subjects=MOVING),)},
}
"""Agents that make hops, and the same by hand."""

_HERE = "formicary_bench.experiments.mobile"
_DEFINED = (
    "Each size has some loops of its own, in one process and from small to large; its total time is their "
    "median. Peak: the highest rate of any size. Sustained: that of the largest loop, made again and again "
    f"after them. As in {DIKAIAKOS}, Section 2."
)


def over_loops(metric: Metric, what: str, many: str, caption: str = "") -> Figure:
    """Return a chart over the sizes of loops."""
    return Figure(metric=metric, over="loop", title=f"{what} against the number of {many}", caption=caption)


def loops(
    name: str,
    title: str,
    what: str,
    *,
    many: str,
    played_by: str,
    source: str = "our own",
    benchmark: str = "",
    figure: str = "",
    second: Metric = AVERAGE,
    further: tuple[Figure, ...] = (),
    **about: Any,
) -> Experiment:
    """Return an experiment that makes loops of an operation.

    `many` is the plural of the operation; `played_by` is the module of its players. It is a `benchmark` of
    the paper with a `figure` there, or has another `source`. A chart shows the `second` metric beside the
    total time; `further` charts and other differences follow.
    """
    sustained = replace(SUSTAINED, title=f"{many} per second, sustained")
    holds = f"; each takes {{{AWAKE}}} of memory awake, {{{ASLEEP}}} asleep and {{{IN_FILE}}} of the file"
    usual: dict[str, Any] = {
        "varies": VARIES,
        "parameters": Carrying,
        "sizes": {},
        "placements": BETWEEN,
        "subjects": (OURS,),
        "quick": ALONE,
        "paper": PAPER,
        "repeats": Repeats(DIKAIAKOS, lambda _: {figure}) if benchmark else None,
        "over": LOOP.attribute,
        "figures": (
            over_loops(LARGEST, "Total time", many, _DEFINED),
            over_loops(second, "Average time" if second is AVERAGE else "Rate", many),
            *further,
        ),
        "duration": Loaded(f"{_HERE}.pipeline:duration"),
    } | about
    sent = {"payload_bytes": (100,)} if issubclass(usual["parameters"], Carrying) else {}
    usual["sizes"] = {"loop": LOOPS, **sent, **usual["sizes"]}
    drawn = usual["figures"]
    usual["figures"] = tuple(
        replace(one, metric=sustained) if one.metric is SUSTAINED else one for one in drawn
    )
    size = "" if usual["over"] == LOOP.attribute else f", {{{usual['over']}}}"
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=f"{DIKAIAKOS}, {benchmark}: Fig. {figure}, Table 8" if benchmark else source,
        published=OF_LOOPS if benchmark else "",
        benchmark=benchmark,
        metrics=(sustained, LARGEST, AVERAGE, PEAK, *HELD),
        unshown=(SMALLEST,),
        main=sustained,
        says=f"{{where}}, {{who}}{size}: {{sustained_per_s}} {many} per second sustained{{beside}}[{holds}].",
        fit=Loaded(f"{_HERE}.pipeline:whole_loops"),
        profiling=AS_IT_IS,
        played_by=f"{_HERE}.{played_by}",
        summarise=Loaded(f"{_HERE}.pipeline:SUMMARY"),
        report=Loaded(f"{_HERE}.pipeline:REPORT"),
        **usual,
    )
