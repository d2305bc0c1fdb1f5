"""Agents that come, register and end: `directory/churn`."""

from __future__ import annotations

from formicary_bench.experiments.directory import BESIDE, PLAN
from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary.designs import CENTRAL, REPLICA
from formicary_bench.vocabulary.placements import APART, TWO_HOSTS

EXPERIMENT = Experiment(
    name="directory/churn",
    title="Agents that come, register and end",
    what="agents that register and end, per second, in four containers of two processes",
    varies=("agents", "route", "tls"),
    agents=(20_000,),
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
    quick=Preset(parts=(Take(placements=(APART,), carriers=DIRECTLY),)),
    beside=BESIDE,
    plan=PLAN,
    played_by="formicary_bench.subjects.ours.churn",
    report=Loaded("formicary_bench.experiments.directory.report:CHURN"),
)
