"""An agent that sends on the agents that come to it: `mobile/forward-agents`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import ALONE, AMONG, CARRIED, LOOPS, Carrying, loops

EXPERIMENT = loops(
    "mobile/forward-agents",
    "An agent that forwards agents",
    "agents forwarded from one container to another by an agent in between, per second",
    "Dikaiakos 2001, FORW-MA: Fig. 21, Table 8",
    operation="agent",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (CARRIED,)},
    placements=AMONG,
    subjects=(OURS,),
    quick=ALONE,
    played_by="forwarding",
)
