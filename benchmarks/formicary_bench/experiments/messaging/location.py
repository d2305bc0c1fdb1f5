"""Pairs in one process, in two, and on two hosts: `messaging/location`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import BURBECK, Experiment, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    BY_ALL,
    HERE_AND_THERE,
    LONG,
    OURS,
    TEN,
    TO_TEN,
    TWO_KB,
    VARIES,
)

EXPERIMENT = Experiment(
    name="messaging/location",
    title="Pairs in different places",
    what="round-trip time of pairs of agents in one process, two, or on two hosts",
    source="Burbeck 2004, Fig. 1",
    repeats=Repeats(BURBECK, lambda _: {1}),
    varies=VARIES,
    pairs=(1, 2, 5, 10),
    payloads=(TWO_KB,),
    placements=HERE_AND_THERE,
    exchange="messaging/pairs",
    quick=Preset(parts=(Take(subjects=(OURS,), carriers=BY_ALL),)),
    paper=Preset(pairs=TO_TEN, payloads=(TWO_KB,), rounds=LONG, repeat=TEN, placements=HERE_AND_THERE),
)
