"""One pair, by message size: `messaging/single-pair-size`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import BURBECK, Experiment, Figure, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    ALONE,
    DIRECTLY,
    FIT,
    HERE_AND_THERE,
    OURS,
    TEN,
    TO_100_KB,
    VARIES,
)
from formicary_bench.vocabulary.metrics import MEAN
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import APART, TWO_HOSTS

EXPERIMENT = Experiment(
    name="messaging/single-pair-size",
    title="One pair, by message size",
    what="round-trip time of one pair, by message size",
    source="Burbeck 2004, Fig. 2",
    repeats=Repeats(BURBECK, lambda _: {2}),
    varies=VARIES,
    parameters=Talk,
    sizes={"pairs": (1,), "payload_bytes": (0, 1000, 10_000, 100_000), "rounds": ALONE},
    placements=HERE_AND_THERE,
    fit=FIT,
    exchange="messaging/size",
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    paper=Preset(sizes={"pairs": (1,), "payload_bytes": TO_100_KB}, repeat=TEN, placements=(TWO_HOSTS,)),
    over="payload_bytes",
    figures=(Figure(metric=MEAN, over="payload_bytes", title="Round-trip time against size of the body"),),
    says="{where}, {who}, {pairs}: a message of {payload_bytes} and its answer take {rtt_p50_us} "
    "(median){beside}.",
)
