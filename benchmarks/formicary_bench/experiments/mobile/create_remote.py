"""Agents that are created elsewhere: `mobile/create-remote`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import (
    BETWEEN,
    LOOPS,
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
    name=names.CREATE_REMOTE,
    title="Creating agents in another place",
    what="agents that are created and started in another container, per second: each by a request, or by one",
    source="Dikaiakos 2001, CR: Fig. 6, Table 8",
    repeats=table(8),
    varies=(*VARIES, "way"),
    loops=LOOPS,
    ways=WAYS,
    placements=BETWEEN,
    subjects=(OURS, "formicary-micro", "tcp"),
    exchange=names.CREATE_REMOTE,
    quick=QUICK,
    paper=PAPER,
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.creating",
    summarise=SUMMARY,
    report=REPORT,
)
