"""More and more pairs with messages of 2 KB: `messaging/scale`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import BURBECK, Experiment, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    DIRECTLY,
    FIT,
    HERE_AND_THERE,
    LONG,
    ONE_OR_TWO,
    OURS,
    TEN,
    TO_TEN,
    TWO_KB,
    VARIES,
)
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import TWO_HOSTS

_FEW = 10  # pairs, where Figure 3 ends and Figure 4 begins

EXPERIMENT = Experiment(
    name="messaging/scale",
    title="More and more pairs, messages of 2 KB",
    what="round-trip time of more and more pairs with messages of 2 KB",
    source="Burbeck 2004, Fig. 3, 4, 5",
    repeats=Repeats(
        BURBECK,
        lambda rows: {
            5 if row.placement != TWO_HOSTS else 3 if row.exchange.pairs <= _FEW else 4 for row in rows
        },
    ),
    varies=VARIES,
    parameters=Talk,
    sizes={"pairs": (1, 5, 10, 50, 100), "payload_bytes": (TWO_KB,)},
    placements=HERE_AND_THERE,
    fit=FIT,
    exchange="messaging/pairs",
    quick=Preset(parts=(Take(subjects=(OURS,), carriers=DIRECTLY),)),
    paper=Preset(
        sizes={"pairs": (*TO_TEN, *range(20, 101, 10)), "payload_bytes": (TWO_KB,), "rounds": LONG},
        repeat=TEN,
        placements=ONE_OR_TWO,
    ),
    over="pairs",
)
