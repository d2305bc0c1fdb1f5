"""Where the CPU time of registering goes: `directory/cpu-register`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BUILT, PLAN, VARIES
from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Preset, Repeats, Take
from formicary_bench.experiments.messaging import DIRECTLY, HUNDRED, ONE_OR_TWO
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.traffic import SPLIT

EXPERIMENT = Experiment(
    name="directory/cpu-register",
    title="Where the CPU time of registering goes",
    what="where the CPU time of registering goes, by group",
    source="Alberola 2010, Tables 4, 5",
    repeats=Repeats(ALBEROLA, lambda rows: {4 if row.placement == SAME else 5 for row in rows}, "Table"),
    varies=VARIES,
    services=(200,),
    spreads=(SPLIT,),
    quick=Preset(parts=(Take(subjects=BUILT, placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    paper=Preset(services=(200,), repeat=HUNDRED, placements=ONE_OR_TWO),
    plan=PLAN,
)
