"""Messages with no answer: `mobile/one-way`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import (
    HERE_AND_THERE,
    LOOPS,
    PAPER,
    PLAN,
    QUICK,
    REPORT,
    SUMMARY,
    VARIES,
    table,
)

EXPERIMENT = Experiment(
    name="mobile/one-way",
    title="Messages without an answer",
    what="messages that one agent sends another, per second, until the last one is there",
    source="Dikaiakos 2001, MSG-1W: Fig. 11, Table 8",
    repeats=table(8),
    varies=(*VARIES, "payload"),
    loops=LOOPS,
    payloads=(100,),
    placements=HERE_AND_THERE,
    subjects=(OURS, "tasks", "tcp"),
    quick=QUICK,
    paper=PAPER,
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.talking",
    summarise=SUMMARY,
    report=REPORT,
)
