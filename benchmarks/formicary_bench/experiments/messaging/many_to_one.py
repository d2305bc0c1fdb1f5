"""Many agents that send messages to the same one: `messaging/many-to-one`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, OURS, PAPER_PAIRS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import TWO_HOSTS

EXPERIMENT = Experiment(
    name=names.MANY_TO_ONE,
    title="Many senders, one receiver",
    what="round-trip time of many senders to one receiver",
    source="Alberola 2010, Fig. 9",
    repeats=Repeats(ALBEROLA, lambda _: {9}),
    varies=VARIES,
    pairs=PAPER_PAIRS,
    payloads=(100,),
    senders=lambda pairs: pairs,
    exchange=names.MANY_TO_ONE,
    quick=Preset(parts=(Take(subjects=(OURS, "tasks", "tcp"), carriers=DIRECTLY),)),
    paper=Preset(pairs=PAPER_PAIRS, placements=(TWO_HOSTS,)),
)
