"""Messages each answered, for which nobody waits: `mobile/two-way`."""

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
    name="mobile/two-way",
    title="Messages that are answered, without waiting",
    what="messages that are answered one by one while more are sent, per second, until the last answer",
    source="Dikaiakos 2001, MSG-2W: Fig. 12, Table 8",
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
