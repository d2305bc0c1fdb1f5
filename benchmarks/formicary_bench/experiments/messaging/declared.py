"""Round trips of pairs by number, message size and placement, as the papers vary them: `messaging/...`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import (
    ALBEROLA,
    BURBECK,
    Experiment,
    Figure,
    Loaded,
    Preset,
    Repeats,
    Take,
    cpu_tables,
)
from formicary_bench.experiments.messaging import (
    A_MESSAGE,
    ALONE,
    BY_ALL,
    DIRECTLY,
    FIT,
    HERE_AND_THERE,
    HUNDRED,
    LONG,
    ONE_OR_TWO,
    OURS,
    PAPER_PAIRS,
    TEN,
    TO_100_KB,
    TO_TEN,
    TWO_KB,
    VARIES,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import MEAN
from formicary_bench.vocabulary.names import FAMILY, LINKS, QUICK, TOUR
from formicary_bench.vocabulary.parameters.shared import CORES, FromMany, Talk
from formicary_bench.vocabulary.places import (
    ALL_TO_ALL,
    APART,
    DIRECT,
    ONE_CORE,
    SAME,
    TCP,
    TWO_HOSTS,
    Carrier,
)


class Pairs(Talk, frozen=True, kw_only=True):
    """Pairs on a number of cores."""

    cores: Annotated[int, replace(CORES, in_label=False, absent=0)] = 0


PAIRS = Experiment(
    name="messaging/pairs",
    title="Pairs of agents, all talking at once",
    what="round-trip time of pairs at full load",
    source="Alberola 2010, Fig. 5, 6, 7",
    repeats=Repeats(ALBEROLA, lambda rows: {{SAME: 5, TWO_HOSTS: 7}.get(row.placement, 6) for row in rows}),
    varies=(*VARIES, "traffic"),
    parameters=Pairs,
    sizes={"pairs": PAPER_PAIRS, "payload_bytes": (100,)},
    traffics=(ALL_TO_ALL,),
    fit=FIT,
    exchange="messaging/pairs",
    selected={
        QUICK: (
            Take(
                subjects=(OURS, "formicary-micro", "tasks", "callbacks"),
                sizes={"pairs": (1, 100)},
                placements=(SAME,),
            ),
            Take(
                subjects=(OURS, "tcp", "components"), sizes={"pairs": (1,), **ONE_CORE}, placements=(APART,)
            ),
            Take(subjects=(OURS, "tcp", "components"), sizes={"pairs": (100,)}, placements=(APART,)),
        ),
        TOUR: (
            Take(
                subjects=(OURS, "formicary-micro", "tasks", "callbacks"),
                sizes={"pairs": (1, 10, 100)},
                placements=(SAME,),
            ),
            Take(subjects=(OURS, "tcp", "components"), sizes={"pairs": (1, 10, 100)}, placements=(APART,)),
            Take(subjects=("spade",), sizes={"pairs": (1, 10)}, placements=(APART,)),
        ),
        LINKS: (
            Take(
                subjects=(OURS, "formicary-micro", "formicary-unnumbered", "tcp", "components", "spade"),
                sizes={"pairs": (1, 100)},
                placements=(APART,),
                carriers=(*BY_ALL, Carrier(DIRECT, tls=True), Carrier(TCP, tls=True)),
            ),
        ),
        FAMILY: (A_MESSAGE,),
    },
    quick=Preset(
        parts=(
            Take(
                subjects=(OURS, "formicary-micro", "tasks", "callbacks"),
                placements=(SAME,),
                carriers=DIRECTLY,
            ),
            Take(subjects=(OURS, "tcp", "components"), placements=(APART,), carriers=BY_ALL),
        )
    ),
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, placements=HERE_AND_THERE),
    over="pairs",
    report=Loaded("formicary_bench.experiments.messaging.pipeline:PAIRS"),
)


MANY_TO_ONE = Experiment(
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


_SIZES = (1, 10, 100, 1000, 10_000, 100_000)

SIZE = Experiment(
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
    says="{where}, {who}, {pairs}: a round trip with {payload_bytes} takes {rtt_p50_us} (median){beside}.",
)


LOCATION = Experiment(
    name="messaging/location",
    title="Pairs in different placements",
    what="round-trip time of pairs of agents in one process, two, or on two hosts",
    source="Burbeck 2004, Fig. 1",
    repeats=Repeats(BURBECK, lambda _: {1}),
    varies=VARIES,
    parameters=Talk,
    sizes={"pairs": (1, 2, 5, 10), "payload_bytes": (TWO_KB,)},
    placements=HERE_AND_THERE,
    fit=FIT,
    exchange="messaging/pairs",
    quick=Preset(parts=(Take(subjects=(OURS,), carriers=BY_ALL),)),
    paper=Preset(
        sizes={"pairs": TO_TEN, "payload_bytes": (TWO_KB,), "rounds": LONG},
        repeat=TEN,
        placements=HERE_AND_THERE,
    ),
    over="pairs",
)


SINGLE_PAIR_SIZE = Experiment(
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
    says="{where}, {who}, {pairs}: a round trip with {payload_bytes} takes {rtt_p50_us} (median){beside}.",
)


_FEW = 10  # pairs, where Figure 3 ends and Figure 4 begins

SCALE = Experiment(
    name="messaging/scale",
    title="Increasing numbers of pairs, messages of 2 KB",
    what="round-trip time of increasing numbers of pairs with messages of 2 KB",
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


CPU = Experiment(
    name="messaging/cpu",
    title="Where the CPU time of messages goes",
    what="CPU time by group while pairs talk",
    source="Alberola 2010, Tables 2, 3",
    repeats=cpu_tables(2, 3),
    varies=(*VARIES, "traffic"),
    parameters=Talk,
    sizes={"pairs": (100,), "payload_bytes": (100,)},
    kinds=("behaviours", "micro"),
    traffics=(ALL_TO_ALL,),
    fit=FIT,
    quick=Preset(parts=(Take(subjects=(OURS,), carriers=DIRECTLY),)),
    paper=Preset(sizes={"pairs": (100,)}, repeat=HUNDRED, placements=ONE_OR_TWO),
    over="pairs",
)
