"""Registering a service: `directory/register`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BESIDE, BUILT, PAPER, PLAN, ROUNDS, SERVICES, VARIES
from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.placements import TWO_HOSTS
from formicary_bench.vocabulary.traffic import AWAY

EXPERIMENT = Experiment(
    name="directory/register",
    title="Registering a service",
    what="time of one registration of a service",
    source="Alberola 2010, Fig. 12, 13",
    repeats=Repeats(
        ALBEROLA,
        lambda rows: {13 if row.placement == TWO_HOSTS else 12 for row in rows},
    ),
    varies=VARIES,
    services=SERVICES,
    spreads=(AWAY,),
    rounds=ROUNDS,
    quick=Preset(parts=(Take(subjects=BUILT, carriers=DIRECTLY),)),
    paper=PAPER,
    beside=BESIDE,
    plan=PLAN,
    summarise=Loaded("formicary_bench.experiments.directory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.directory.report:USES"),
)
