"""Agents beside plain processes that talk over TCP sockets: `messaging/lower-bound`."""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Figure, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    DIRECTLY,
    FIT,
    HERE_AND_THERE,
    HUNDRED,
    ONE_OR_TWO,
    OURS,
    PAPER_PAIRS,
    VARIES,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import RATE, TIME, TOTAL
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.placements import TWO_HOSTS

EXPERIMENT = Experiment(
    name=names.LOWER_BOUND,
    title="Agents beside plain processes over TCP sockets",
    what="total time of 1000 messages of each pair, beside plain processes over TCP sockets",
    source="Alberola 2010, Fig. 10, 11",
    repeats=Repeats(ALBEROLA, lambda rows: {11 if row.placement == TWO_HOSTS else 10 for row in rows}),
    varies=VARIES,
    parameters=Talk,
    sizes={"pairs": (1, 10, 50, 100), "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    has_fixed_rounds=True,  # total times say something beside each other if all make as many
    fit=FIT,
    exchange="messaging/pairs",
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), carriers=DIRECTLY),)),
    # Figures 10 and 11 have more and more pairs; those of the other figures are taken.
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, repeat=HUNDRED, placements=ONE_OR_TWO),
    metrics=(TOTAL, replace(TIME, minor=True), replace(RATE, minor=True)),
    main=TOTAL,
    over="pairs",
    figures=(Figure(metric=TOTAL, over="pairs", caption="All measured messages of all pairs."),),
    says="{where}, {who}: {pairs} take {total_s} in all{beside}.",
    summarise=Loaded("formicary_bench.experiments.messaging.lower_bound.rows:SUMMARY"),
)
