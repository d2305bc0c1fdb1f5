"""Messages of many sizes: `messaging/size`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Figure, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, FIT, OURS, VARIES
from formicary_bench.vocabulary.metrics import MEAN
from formicary_bench.vocabulary.names import LINKS, TOUR
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import ALL_TO_ALL, APART, TWO_HOSTS

_SIZES = (1, 10, 100, 1000, 10_000, 100_000)

EXPERIMENT = Experiment(
    name="messaging/size",
    title="Message size",
    what="round-trip time by message size",
    source="Alberola 2010, Fig. 8",
    repeats=Repeats(ALBEROLA, lambda _: {8}),
    varies=(*VARIES, "traffic"),
    parameters=Talk,
    sizes={"pairs": (50,), "payload_bytes": _SIZES},
    traffics=(ALL_TO_ALL,),
    fit=FIT,
    exchange="messaging/size",
    selected={
        TOUR: (
            Take(
                subjects=(OURS, "tcp", "components"),
                sizes={"pairs": (10,), "payload_bytes": (10, 1000, 10_000)},
                placements=(APART,),
            ),
        ),
        LINKS: (
            Take(
                subjects=(OURS, "tcp"),
                sizes={"pairs": (10,), "payload_bytes": (100_000,)},
                placements=(APART,),
                carriers=DIRECTLY,
            ),
        ),
    },
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    # Burbeck's sizes, 0 to 100 KB with one pair, lie within these.
    paper=Preset(sizes={"pairs": (50,), "payload_bytes": _SIZES}, placements=(TWO_HOSTS,)),
    over="payload_bytes",
    figures=(Figure(metric=MEAN, over="payload_bytes", title="Round-trip time against size of the body"),),
    says="{where}, {who}, {pairs}: a message of {payload_bytes} and its answer take {rtt_p50_us} "
    "(median){beside}.",
)
