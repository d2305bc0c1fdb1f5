"""Agents that only compute, on so many cores: `compute/speed-up`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import PEREZ_CARRO, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.vocabulary.placements import SAME

_HERE = "formicary_bench.experiments.compute"
_AGENTS = tuple(2**power for power in range(11))  # as in the paper
_TEN = 10  # its executions

EXPERIMENT = Experiment(
    name="compute/speed-up",
    title="Agents that compute",
    what="CPU time of all computations over the time that they take in all, by agents and cores",
    source="Pérez-Carro 2013, Section 4.1, Fig. 4",
    repeats=Repeats(PEREZ_CARRO, lambda _: {4}),
    varies=("agents", "loop", "cores"),
    agents=_AGENTS,
    placements=(SAME,),
    subjects=(OURS, "processes", "threads"),
    quick=Preset(agents=(16,), loops=(2,), parts=(Take(subjects=(OURS, "processes"), placements=(SAME,)),)),
    paper=Preset(agents=_AGENTS, repeat=_TEN),
    plan=Loaded(f"{_HERE}.plan:plan_computations"),
    played_by=f"{_HERE}.players",
    summarise=Loaded(f"{_HERE}.rows:SUMMARY"),
    report=Loaded(f"{_HERE}.report:REPORT"),
)
