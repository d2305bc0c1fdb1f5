"""Pairs of agents that send each other a message and its answer: `messaging/pairs`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    A_MESSAGE,
    BY_ALL,
    DIRECTLY,
    FIT,
    HERE_AND_THERE,
    OURS,
    PAPER_PAIRS,
    VARIES,
)
from formicary_bench.vocabulary.names import FAMILY, LINKS, QUICK, TOUR
from formicary_bench.vocabulary.parameters.shared import CORES, Talk
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
    """Pairs on so many cores."""

    cores: Annotated[int, replace(CORES, in_label=False, absent=0)] = 0


EXPERIMENT = Experiment(
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
    report=Loaded("formicary_bench.experiments.messaging.report:PAIRS"),
)
