"""Memory of processes: `memory`, and whether it grows while pairs talk: `memory/growth`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, HUNDRED, OURS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import MOST_SECONDS, whole
from formicary_bench.vocabulary.metrics import BYTES, HOLDS, TIMES, Metric
from formicary_bench.vocabulary.names import OF_MEMORY
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import PAIRS, PAYLOAD, Agents, Exchange
from formicary_bench.vocabulary.places import APART, NO_MESSAGES, SAME
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

# From the smallest to the largest.
_SUBJECTS = ("python", f"formicary-{IMPORTED}", f"formicary-{CONTAINER}", OURS, "formicary-micro")


HELD = replace(HOLDS, column="holds", has_spread=True)
TRACED = Metric("traced_bytes", "memory traced", BYTES, "traced", more_is_better=False, has_spread=True)


class States(Agents, frozen=True, kw_only=True):
    """A number of idle agents; with `seconds`, `memory/growth` is measured as well."""

    seconds: Annotated[int, GROWTH] = 0


HOLDING = Experiment(
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
    beside=Loaded("formicary_bench.experiments.memory.pipeline:growth_if_wanted"),
    carriers=(NO_MESSAGES,),
    exchange=names.MEMORY,
    fit=Loaded("formicary_bench.experiments.memory.pipeline:states"),
    profiling=None,
    why_unprofiled=UNPROFILED,
    duration=Loaded("formicary_bench.experiments.memory.pipeline:duration"),
    measure=Loaded("formicary_bench.experiments.memory.measure:measure_memory"),
    metrics=(HELD, TRACED),
    over="agents",
    published=OF_MEMORY,
    summarise=Loaded("formicary_bench.experiments.memory.pipeline:SUMMARY"),
    report=Loaded("formicary_bench.experiments.memory.report:REPORT"),
)


MESSAGES = Metric("messages", "messages", is_judged=False)
GROWTH_PER_S = Metric("growth_per_s", "growth per second", BYTES, is_judged=False)
GROWTH_PER_MESSAGE = Metric("growth_per_message", "growth per message", BYTES, is_judged=False)
GREW = Metric("grew_times", "memory after the load relative to before", TIMES)
"""Growth may be near zero and of either sign, so it is judged by its ratio to the memory held."""


class Growing(Exchange, frozen=True, kw_only=True):
    """Pairs that talk for a number of seconds."""

    seconds: Annotated[int, GROWTH] = 0
    pairs: Annotated[int, PAIRS] = 0
    payload_bytes: Annotated[int, PAYLOAD] = 0


GROWING = Experiment(
    name=names.GROWTH,
    title="Whether memory grows under load",
    what="whether memory grows while pairs talk",
    parameters=Growing,
    varies=VARIES,
    sizes={"seconds": 20, "pairs": (10,), "payload_bytes": (100,)},
    placements=(SAME, APART),
    kinds=("behaviours", "micro"),
    # Three seconds are enough samples.
    quick=Preset(sizes={"seconds": 3}, parts=(Take(subjects=(OURS,), carriers=DIRECTLY),)),
    profiling=None,
    why_unprofiled=UNPROFILED,
    duration=Loaded("formicary_bench.experiments.memory.pipeline:duration_of_growth"),
    played_by="formicary_bench.subjects.ours.growth",
    measure=Loaded("formicary_bench.experiments.memory.measure:measure_growth"),
    metrics=(MESSAGES, HELD, GROWTH_PER_S, GROWTH_PER_MESSAGE),
    unshown=(GREW,),
    over="pairs",
    summarise=Loaded("formicary_bench.experiments.memory.pipeline:SUMMARY"),
    report=Loaded("formicary_bench.experiments.memory.report:GROWTH"),
)
