"""One pair, by the size of its messages: `messaging/single-pair-size`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import BURBECK, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    ALONE,
    DIRECTLY,
    HERE_AND_THERE,
    OURS,
    TEN,
    TO_100_KB,
    VARIES,
)
from formicary_bench.vocabulary.placements import APART, TWO_HOSTS

EXPERIMENT = Experiment(
    name="messaging/single-pair-size",
    title="One pair, by the size of its messages",
    what="round-trip time of one pair, by the size of its messages",
    source="Burbeck 2004, Fig. 2",
    repeats=Repeats(BURBECK, lambda _: {2}),
    varies=VARIES,
    pairs=(1,),
    payloads=(0, 1000, 10_000, 100_000),
    placements=HERE_AND_THERE,
    rounds=ALONE,
    exchange="messaging/size",
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    paper=Preset(pairs=(1,), payloads=TO_100_KB, repeat=TEN, placements=(TWO_HOSTS,)),
    report=Loaded("formicary_bench.experiments.messaging.report:SIZES"),
)
