"""An agent through which requests and answers pass: `mobile/proxy`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Preset
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import ALONE, AMONG, CLIENTS, LOOPS, Serving, loops
from formicary_bench.vocabulary.places import SAME

EXPERIMENT = loops(
    "mobile/proxy",
    "An agent between clients and servers",
    "client requests per second that an agent passes to servers, with their answers",
    "our own; the micro-kernel PROXY that Dikaiakos 2001 sets out",
    operation="request",
    parameters=Serving,
    sizes={"loop": LOOPS, "pairs": CLIENTS, "payload_bytes": (100,)},
    placements=(SAME, *AMONG),
    subjects=(OURS,),
    quick=ALONE,
    paper=Preset(sizes={"pairs": CLIENTS}),
    played_by="mediating",
)
