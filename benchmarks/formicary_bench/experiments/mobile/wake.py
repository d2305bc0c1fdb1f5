"""Agents that sleep in their container's file and are woken: `mobile/wake`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import LOOPS, PLAN, REPORT, SUMMARY
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.sleeping import WAKES

_SUBJECTS = (OURS, "tasks")

EXPERIMENT = Experiment(
    name=names.WAKE,
    title="Waking agents that sleep",
    what="sleeping agents that are woken per second: all by their time, or by a message each; what one holds",
    varies=("loop", "way"),
    loops=LOOPS,
    ways=WAKES,
    placements=(SAME,),
    subjects=_SUBJECTS,
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    paper=Preset(loops=(40_000,)),
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.waking",
    summarise=SUMMARY,
    report=REPORT,
)
