"""An agent that carries what it knows there and back: `mobile/messenger`."""

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

EXPERIMENT = Experiment(
    name="mobile/messenger",
    title="An agent that carries a message there and back",
    what="journeys of an agent to another container and back, per second",
    source="Dikaiakos 2001, MSG-MA: Fig. 15, Table 8",
    repeats=table(8),
    varies=(*VARIES, "payload"),
    loops=LOOPS,
    payloads=(CARRIED,),
    placements=BETWEEN,
    subjects=MOVING,
    quick=QUICK,
    paper=PAPER,
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.moving",
    summarise=SUMMARY,
    report=REPORT,
)
