"""Agents that are created here and sent elsewhere: `mobile/dispatch`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment
from formicary_bench.experiments.mobile import (
    BETWEEN,
    CARRIED,
    LOOPS,
    MOVING,
    PAPER,
    PLAN,
    QUICK,
    REPORT,
    SUMMARY,
    VARIES,
    table,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.loops import WAYS

EXPERIMENT = Experiment(
    name=names.DISPATCH,
    title="Sending agents to another place",
    what="agents that were created here and are sent to another container, per second",
    source="Dikaiakos 2001, AD: Fig. 9, Table 8",
    repeats=table(8),
    varies=(*VARIES, "way", "payload"),
    loops=(50, *LOOPS),
    payloads=(CARRIED,),
    ways=WAYS,
    placements=BETWEEN,
    subjects=MOVING,
    exchange=names.DISPATCH,
    quick=QUICK,
    paper=PAPER,
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.moving",
    summarise=SUMMARY,
    report=REPORT,
)
