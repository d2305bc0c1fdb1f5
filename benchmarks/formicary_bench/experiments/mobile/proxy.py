"""An agent through which requests and answers pass: `mobile/proxy`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, OURS
from formicary_bench.experiments.mobile import (
    AMONG,
    CLIENTS,
    LOOPS,
    PLAN,
    REPORT,
    SUMMARY,
    VARIES,
)
from formicary_bench.vocabulary.placements import APART, SAME

EXPERIMENT = Experiment(
    name="mobile/proxy",
    title="An agent between clients and servers",
    what="requests of clients that an agent passes on to servers, and their answers back, per second",
    source="our own; the micro-kernel PROXY that Dikaiakos 2001 sets out",
    varies=(*VARIES, "pairs", "payload"),
    loops=LOOPS,
    pairs=CLIENTS,
    payloads=(100,),
    placements=(SAME, *AMONG),
    subjects=(OURS, "tasks", "tcp"),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    paper=Preset(pairs=CLIENTS),
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.mediating",
    summarise=SUMMARY,
    report=REPORT,
)
