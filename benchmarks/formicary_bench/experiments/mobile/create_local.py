"""Agents that are created where they are asked for: `mobile/create-local`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import LOOPS, PAPER, PLAN, REPORT, SUMMARY, table
from formicary_bench.vocabulary.placements import SAME

EXPERIMENT = Experiment(
    name="mobile/create-local",
    title="Creating agents in the same place",
    what="agents that are created and started where they are asked for, per second",
    source="Dikaiakos 2001, CL: Fig. 5, Table 8",
    repeats=table(8),
    varies=("loop",),
    loops=LOOPS,
    placements=(SAME,),
    subjects=(OURS, "formicary-micro", "tasks"),
    quick=Preset(parts=(Take(subjects=(OURS, "tasks"), placements=(SAME,)),)),
    paper=PAPER,
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.creating",
    summarise=SUMMARY,
    report=REPORT,
)
