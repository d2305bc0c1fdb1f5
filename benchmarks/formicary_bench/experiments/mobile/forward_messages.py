"""An agent that forwards requests, which others answer: `mobile/forward-messages`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, OURS
from formicary_bench.experiments.mobile import AMONG, CLIENTS, PLAN, REPORT, SUMMARY, VARIES, table
from formicary_bench.vocabulary.placements import APART, SAME

EXPERIMENT = Experiment(
    name="mobile/forward-messages",
    title="An agent that forwards requests to servers",
    what="requests that an agent forwards to servers, which answer the clients themselves, per second",
    source="Dikaiakos 2001, FORW-MSG: Fig. 17 to 20, Table 8",
    repeats=table(8),
    varies=(*VARIES, "pairs", "payload"),
    loops=(5000,),
    pairs=CLIENTS,
    payloads=(100,),
    placements=(SAME, *AMONG),
    subjects=(OURS, "tasks", "tcp"),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    paper=Preset(pairs=CLIENTS, loops=(5000,)),
    plan=PLAN,
    played_by="formicary_bench.experiments.mobile.mediating",
    summarise=SUMMARY,
    report=REPORT,
)
