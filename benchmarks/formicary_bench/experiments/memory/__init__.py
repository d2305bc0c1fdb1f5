"""Memory of processes: `memory`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats
from formicary_bench.experiments.messaging import HUNDRED, OURS
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import MOST_SECONDS, whole
from formicary_bench.vocabulary.metrics import BYTES, HOLDS, Metric
from formicary_bench.vocabulary.names import OF_MEMORY
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import NO_MESSAGES, SAME
from formicary_bench.vocabulary.values import CONTAINER, IMPORTED

GROWTH = Parameter(
    name="growth",
    kind=whole(1, MOST_SECONDS, several=False),
    unit="seconds",
    metavar="SECONDS",
    help="Also let pairs talk for this long, and check whether their memory grows.",
    default="no; memory/growth: 20",
    example=20,
)
UNPROFILED = "memory of processes"

# From what holds the least to what holds the most.
_SUBJECTS = ("python", f"formicary-{IMPORTED}", f"formicary-{CONTAINER}", OURS, "formicary-micro")


HELD = replace(HOLDS, column="holds", has_spread=True)
TRACED = Metric("traced_bytes", "memory traced", BYTES, "traced", more_is_better=False, has_spread=True)


class States(Agents, frozen=True, kw_only=True):
    """So many idle agents; with `seconds` `memory/growth` is measured beside them."""

    seconds: Annotated[int, GROWTH] = 0


EXPERIMENT = Experiment(
    name=names.MEMORY,
    title="Memory of processes",
    what="memory of the interpreter, the platform and idle agents",
    source="Alberola 2010, Table 8",
    repeats=Repeats(ALBEROLA, lambda _: {8}, "Table"),
    parameters=States,
    sizes={"agents": (100, 1000, 100_000)},
    placements=(SAME,),
    subjects=_SUBJECTS,
    paper=Preset(sizes={"agents": (100,)}, repeat=HUNDRED, placements=(SAME,)),
    beside=Loaded("formicary_bench.experiments.memory.plan:growth_if_wanted"),
    carriers=(NO_MESSAGES,),
    fit=Loaded("formicary_bench.experiments.memory.plan:states"),
    profiling=None,
    why_unprofiled=UNPROFILED,
    duration=Loaded("formicary_bench.experiments.memory.plan:duration"),
    measure=Loaded("formicary_bench.experiments.memory.measure:measure_memory"),
    metrics=(HELD, TRACED),
    over="agents",
    published=OF_MEMORY,
    summarise=Loaded("formicary_bench.experiments.memory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.memory.report:REPORT"),
)
