"""An agent that visits four places again and again: `mobile/roam`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Preset
from formicary_bench.experiments.mobile import (
    AMONG,
    CARRIED,
    MOVING,
    PLAN,
    QUICK,
    REPORT,
    SUMMARY,
    VARIES,
    table,
)
from formicary_bench.vocabulary import names

EXPERIMENT = Experiment(
    name=names.ROAM,
    title="An agent that visits four places",
    what="hops of an agent from place to place, per second, alone or while another agent sends it messages",
    source="Dikaiakos 2001, ROAM: Fig. 16, Table 8",
    repeats=table(8),
    varies=(*VARIES, "payload", "rate"),
    loops=(4000,),
    payloads=(CARRIED,),
    rates=(1000,),
    placements=AMONG,
    subjects=MOVING,
    exchange=names.ROAM,
    quick=QUICK,
    paper=Preset(loops=(4000,)),
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.roaming",
    summarise=SUMMARY,
    report=REPORT,
)
