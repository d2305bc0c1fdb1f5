"""Whether memory grows while pairs talk: `memory/growth`."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.memory import GROWTH, HELD, UNPROFILED
from formicary_bench.experiments.messaging import DIRECTLY, OURS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import BYTES, TIMES, Metric
from formicary_bench.vocabulary.parameters.shared import PAIRS, PAYLOAD, Exchange
from formicary_bench.vocabulary.places import APART, SAME

MESSAGES = Metric("messages", "messages", is_judged=False)
GROWTH_PER_S = Metric("growth_per_s", "growth per second", BYTES, is_judged=False)
GROWTH_PER_MESSAGE = Metric("growth_per_message", "growth per message", BYTES, is_judged=False)
GREW = Metric("grew_times", "memory after the load, times that before", TIMES)
"""Growth may be of either sign and next to nothing, so it is judged by what it makes of what is held."""


class Growing(Exchange, frozen=True, kw_only=True):
    """Pairs that talk for so many seconds."""

    seconds: Annotated[int, GROWTH] = 0
    pairs: Annotated[int, PAIRS] = 0
    payload_bytes: Annotated[int, PAYLOAD] = 0


EXPERIMENT = Experiment(
    name=names.GROWTH,
    title="Whether memory grows under load",
    what="whether memory grows while pairs talk",
    parameters=Growing,
    varies=VARIES,
    sizes={"seconds": 20, "pairs": (10,), "payload_bytes": (100,)},
    placements=(SAME, APART),
    kinds=("behaviours", "micro"),
    # In three seconds memory is looked at often enough.
    quick=Preset(sizes={"seconds": 3}, parts=(Take(subjects=(OURS,), carriers=DIRECTLY),)),
    profiling=None,
    why_unprofiled=UNPROFILED,
    duration=Loaded("formicary_bench.experiments.memory.plan:duration_of_growth"),
    played_by="formicary_bench.subjects.ours.growth",
    measure=Loaded("formicary_bench.experiments.memory.measure_growth:measure_growth"),
    metrics=(MESSAGES, HELD, GROWTH_PER_S, GROWTH_PER_MESSAGE),
    unshown=(GREW,),
    over="pairs",
    summarise=Loaded("formicary_bench.experiments.memory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.memory.report:GROWTH"),
)
