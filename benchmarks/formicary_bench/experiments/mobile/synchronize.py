"""A message and its answer, which the sender waits for: `mobile/synchronize`."""

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
    name="mobile/synchronize",
    title="Messages whose answers are waited for",
    what="messages and their answers, one after the other, per second",
    source="Dikaiakos 2001, SYNCH: Fig. 14, Table 8",
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
