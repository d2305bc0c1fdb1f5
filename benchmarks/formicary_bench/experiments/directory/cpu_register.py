"""Where the CPU time of registering goes: `directory/cpu-register`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BUILT, PLAN, VARIES
from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take, cpu_tables
from formicary_bench.experiments.messaging import DIRECTLY, HUNDRED, ONE_OR_TWO
from formicary_bench.vocabulary.traffic import SPLIT

EXPERIMENT = Experiment(
    name="directory/cpu-register",
    title="Where the CPU time of registering goes",
    what="where the CPU time of registering goes, by group",
    source="Alberola 2010, Tables 4, 5",
    repeats=cpu_tables(4, 5),
    varies=VARIES,
    services=(200,),
    spreads=(SPLIT,),
    quick=Preset(parts=(Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    paper=Preset(services=(200,), repeat=HUNDRED, placements=ONE_OR_TWO),
    plan=PLAN,
    summarise=Loaded("formicary_bench.experiments.directory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.directory.report:USES"),
)
