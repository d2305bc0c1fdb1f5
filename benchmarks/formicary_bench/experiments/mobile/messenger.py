"""An agent that carries what it knows there and back: `mobile/messenger`."""

from __future__ import annotations

from formicary_bench.experiments.mobile import CARRIED, IN_TOUR, LOOPS, Carrying, loops

EXPERIMENT = loops(
    "mobile/messenger",
    "An agent that carries a message there and back",
    "journeys of an agent to another container and back, per second",
    "Dikaiakos 2001, MSG-MA: Fig. 15, Table 8",
    operation="journey there and back",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (CARRIED,)},
    selected=IN_TOUR,
    played_by="moving",
)
