"""An agent that sends on the agents that come to it: `mobile/forward-agents`."""

from __future__ import annotations

from formicary_bench.experiments.mobile import AMONG, of_moves

EXPERIMENT = of_moves(
    name="mobile/forward-agents",
    title="An agent that sends others on",
    what="agents that come from a first place and are sent on to a third by one at the second, per second",
    source="Dikaiakos 2001, FORW-MA: Fig. 21, Table 8",
    placements=AMONG,
    played_by="formicary_bench.experiments.mobile.forwarding",
)
