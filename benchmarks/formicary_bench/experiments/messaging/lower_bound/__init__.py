"""Agents beside plain processes that talk over TCP sockets: `messaging/lower-bound`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    DIRECTLY,
    HERE_AND_THERE,
    HUNDRED,
    ONE_OR_TWO,
    OURS,
    PAPER_PAIRS,
    VARIES,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import TWO_HOSTS

EXPERIMENT = Experiment(
    name=names.LOWER_BOUND,
    title="Agents beside plain processes over TCP sockets",
    what="time that 1000 messages of each pair take in all, beside plain processes over TCP sockets",
    source="Alberola 2010, Fig. 10, 11",
    repeats=Repeats(ALBEROLA, lambda rows: {11 if row.placement == TWO_HOSTS else 10 for row in rows}),
    varies=VARIES,
    pairs=(1, 10, 50, 100),
    payloads=(100,),
    placements=HERE_AND_THERE,
    has_fixed_rounds=True,  # total times say something beside each other if all make as many
    exchange="messaging/pairs",
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), carriers=DIRECTLY),)),
    # Figures 10 and 11 have more and more pairs; those of the other figures are taken.
    paper=Preset(pairs=PAPER_PAIRS, repeat=HUNDRED, placements=ONE_OR_TWO),
    summarise=Loaded("formicary_bench.experiments.messaging.lower_bound.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.messaging.lower_bound.report:REPORT"),
)
