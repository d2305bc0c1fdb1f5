"""Whether memory grows while pairs talk: `memory/growth`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, OURS
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import APART, SAME

EXPERIMENT = Experiment(
    name=names.GROWTH,
    title="Whether memory grows under load",
    what="whether memory grows while pairs talk",
    varies=("growth", "pairs", "payload", "placement", "route", "tls"),
    pairs=(10,),
    payloads=(100,),
    placements=(SAME, APART),
    kinds=("behaviours", "micro"),
    # In three seconds memory is looked at often enough.
    quick=Preset(growth=3, parts=(Take(subjects=(OURS,), carriers=DIRECTLY),)),
    plan=Loaded("formicary_bench.experiments.memory.plan:plan_growth"),
    played_by="formicary_bench.subjects.ours.growth",
    measure=Loaded("formicary_bench.experiments.memory.measure_growth:measure_growth"),
    summarise=Loaded("formicary_bench.experiments.memory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.memory.report:GROWTH"),
)
