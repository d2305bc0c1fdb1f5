"""Searching for the services of a type: `directory/search`."""

from __future__ import annotations

from formicary_bench.experiments.directory import (
    BESIDE,
    BUILT,
    PAPER,
    PLAN,
    ROUNDS,
    SERVICES,
    SUMMARY,
    VARIES,
)
from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.placements import TWO_HOSTS
from formicary_bench.vocabulary.traffic import SPLIT, SPREADS

EXPERIMENT = Experiment(
    name="directory/search",
    title="Searching for the services of a type",
    what="time of one search for the services of a type",
    source="Alberola 2010, Fig. 14, 15, 16",
    repeats=Repeats(
        ALBEROLA,
        lambda rows: {
            14 if row.placement != TWO_HOSTS else 16 if row.spread == SPLIT else 15 for row in rows
        },
    ),
    varies=VARIES,
    services=SERVICES,
    spreads=SPREADS,
    rounds=ROUNDS,
    quick=Preset(parts=(Take(subjects=BUILT, carriers=DIRECTLY),)),
    paper=PAPER,
    beside=BESIDE,
    plan=PLAN,
    summarise=SUMMARY,
    report=Loaded("formicary_bench.experiments.directory.report:SEARCHES"),
)
