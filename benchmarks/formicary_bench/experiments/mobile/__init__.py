"""The experiments of Dikaiakos 2001: agents that are made elsewhere, that move, and that talk over links.

Each makes loops of an operation, of one after the other to all of the largest loop (see `vocabulary.loops`).
What is measured is the total time of each loop; from these come the average time of an operation, the peak
rate and the sustained rate, as that paper defines them. Our own are `wake`, with agents that sleep, and
`web_shop`.

- `loops`: how loops are made, by whomever; `play`: who is in which container, and the agent that makes them
- `creating`, `moving`, `roaming` and so on: what agents do in an experiment; `by_hand`: the same without any
"""

from __future__ import annotations

from formicary_bench.experiments.experiment import DIKAIAKOS, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, OURS
from formicary_bench.vocabulary.placements import APART, N_HOSTS, SAME, TWO_HOSTS

CPU_GROUP = "agents"

VARIES = ("loop", "placement", "route", "tls")
"""What all of them vary, but for what takes place in one process."""

BETWEEN = (APART, TWO_HOSTS)
"""From one place to another."""

HERE_AND_THERE = (SAME, *BETWEEN)
"""Within a place, and from one to another."""

AMONG = (*BETWEEN, N_HOSTS)
"""Among several places, in two processes, or on hosts."""

LOOPS = (1000,)
"""The largest loop in the paper."""

PAPER = Preset(loops=LOOPS)
"""What the paper says of its loops."""

CARRIED = 1000
"""Bytes of what an agent carries."""

CLIENTS = (3, 6, 12)
"""How many clients the paper has, of three servers."""

MOVING = (OURS, "tcp")
"""Agents, and the same by hand: what an agent holds is sent, and a task is begun with it there."""

QUICK = Preset(parts=(Take(subjects=MOVING, placements=(APART,), carriers=DIRECTLY),))

PLAN = Loaded("formicary_bench.experiments.mobile.plan:plan_loops")
SUMMARY = Loaded("formicary_bench.experiments.mobile.rows:SUMMARY")
REPORT = Loaded("formicary_bench.experiments.mobile.report:REPORT")


def table(number: int) -> Repeats:
    """Return which table of the paper has what rows repeat."""
    return Repeats(DIKAIAKOS, lambda _: {number}, "Table")


def of_messages(name: str, title: str, what: str, source: str) -> Experiment:
    """Return an experiment in which one agent sends messages to another; arguments as of `Experiment`."""
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=source,
        repeats=table(8),
        varies=(*VARIES, "payload"),
        loops=LOOPS,
        payloads=(100,),
        placements=HERE_AND_THERE,
        subjects=(OURS, "tasks", "tcp"),
        quick=QUICK,
        paper=PAPER,
        plan=PLAN,
        played_by="formicary_bench.experiments.mobile.talking",
        summarise=SUMMARY,
        report=REPORT,
    )


def of_moves(
    name: str, title: str, what: str, source: str, *, placements: tuple[str, ...], played_by: str
) -> Experiment:
    """Return an experiment in which agents move that carry something; arguments as of `Experiment`."""
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=source,
        repeats=table(8),
        varies=(*VARIES, "payload"),
        loops=LOOPS,
        payloads=(CARRIED,),
        placements=placements,
        subjects=MOVING,
        quick=QUICK,
        paper=PAPER,
        plan=PLAN,
        played_by=played_by,
        summarise=SUMMARY,
        report=REPORT,
    )
