"""Pairs in one process, in two, and on two hosts: `messaging/location`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import BURBECK, Experiment, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    BY_ALL,
    FIT,
    HERE_AND_THERE,
    LONG,
    OURS,
    TEN,
    TO_TEN,
    TWO_KB,
    VARIES,
)
from formicary_bench.vocabulary.parameters.shared import Talk

EXPERIMENT = Experiment(
    name="messaging/location",
    title="Pairs in different places",
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
