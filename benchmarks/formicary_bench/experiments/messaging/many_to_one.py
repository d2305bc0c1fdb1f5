"""Many agents that send messages to the same one: `messaging/many-to-one`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, FIT, OURS, PAPER_PAIRS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.parameters.shared import FromMany
from formicary_bench.vocabulary.places import TWO_HOSTS

EXPERIMENT = Experiment(
    name=names.MANY_TO_ONE,
    title="Many senders, one receiver",
    what="round-trip time of many senders to one receiver",
    source="Alberola 2010, Fig. 9",
    repeats=Repeats(ALBEROLA, lambda _: {9}),
    varies=VARIES,
    parameters=FromMany,
    sizes={"pairs": PAPER_PAIRS, "payload_bytes": (100,)},
    senders=lambda pairs: pairs,
    fit=FIT,
    exchange=names.MANY_TO_ONE,
    selected={
        TOUR: (Take(subjects=(OURS, "tasks", "tcp"), sizes={"pairs": (100,)}, carriers=DIRECTLY),),
    },
    quick=Preset(parts=(Take(subjects=(OURS, "tasks", "tcp"), carriers=DIRECTLY),)),
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, placements=(TWO_HOSTS,)),
    over="pairs",
)
