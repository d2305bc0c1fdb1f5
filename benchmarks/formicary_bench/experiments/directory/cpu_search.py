"""Where the CPU time of searching goes: `directory/cpu-search`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BUILT, PLAN, VARIES
from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take, cpu_tables
from formicary_bench.experiments.messaging import DIRECTLY, HUNDRED, ONE_OR_TWO
from formicary_bench.vocabulary.traffic import SPLIT

EXPERIMENT = Experiment(
    name="directory/cpu-search",
    title="Where the CPU time of searching goes",
    what="where the CPU time of searching goes, by group",
    source="Alberola 2010, Tables 6, 7",
    repeats=cpu_tables(6, 7),
    varies=VARIES,
    services=(200,),
    spreads=(SPLIT,),
    quick=Preset(parts=(Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    paper=Preset(services=(200,), repeat=HUNDRED, placements=ONE_OR_TWO),
    plan=PLAN,
    summarise=Loaded("formicary_bench.experiments.directory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.directory.report:USES"),
)
