"""An agent that forwards requests, which others answer: `mobile/forward-messages`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Preset
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import ALONE, AMONG, CLIENTS, Serving, loops
from formicary_bench.vocabulary.places import SAME

EXPERIMENT = loops(
    "mobile/forward-messages",
    "An agent that forwards requests to servers",
    "requests that an agent forwards to servers, which answer the clients directly, per second",
    "Dikaiakos 2001, FORW-MSG: Fig. 17 to 20, Table 8",
    operation="request",
    parameters=Serving,
    sizes={"loop": (5000,), "pairs": CLIENTS, "payload_bytes": (100,)},
    placements=(SAME, *AMONG),
    subjects=(OURS,),
    quick=ALONE,
    paper=Preset(sizes={"pairs": CLIENTS, "loop": (5000,)}),
    played_by="mediating",
)
