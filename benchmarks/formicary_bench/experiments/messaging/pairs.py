"""Pairs of agents that send each other a message and its answer: `messaging/pairs`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import BY_ALL, DIRECTLY, HERE_AND_THERE, OURS, PAPER_PAIRS, VARIES
from formicary_bench.vocabulary.placements import APART, SAME, TWO_HOSTS
from formicary_bench.vocabulary.traffic import ALL_TO_ALL

EXPERIMENT = Experiment(
    name="messaging/pairs",
    title="Pairs of agents, all talking at once",
    what="round-trip time of pairs at full load",
    source="Alberola 2010, Fig. 5, 6, 7",
    repeats=Repeats(ALBEROLA, lambda rows: {{SAME: 5, TWO_HOSTS: 7}.get(row.placement, 6) for row in rows}),
    varies=(*VARIES, "traffic"),
    pairs=PAPER_PAIRS,
    payloads=(100,),
    traffics=(ALL_TO_ALL,),
    exchange="messaging/pairs",
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
    paper=Preset(pairs=PAPER_PAIRS, placements=HERE_AND_THERE),
    report=Loaded("formicary_bench.experiments.messaging.report:PAIRS"),
)
