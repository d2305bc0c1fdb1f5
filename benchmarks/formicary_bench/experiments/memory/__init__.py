"""What processes hold of the memory: `memory`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats
from formicary_bench.experiments.messaging import HUNDRED
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import SAME

EXPERIMENT = Experiment(
    name=names.MEMORY,
    title="What processes hold of the memory",
    what="memory of the interpreter, of the platform and of idle agents",
    source="Alberola 2010, Table 8",
    repeats=Repeats(ALBEROLA, lambda _: {8}, "Table"),
    varies=("agents", "growth"),
    agents=(100, 1000, 100_000),
    placements=(SAME,),
    paper=Preset(agents=(100,), repeat=HUNDRED, placements=(SAME,)),
    beside=Loaded("formicary_bench.experiments.memory.plan:growth_if_wanted"),
    plan=Loaded("formicary_bench.experiments.memory.plan:plan_states"),
    measure=Loaded("formicary_bench.experiments.memory.measure:measure_memory"),
    summarise=Loaded("formicary_bench.experiments.memory.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.memory.report:REPORT"),
)
