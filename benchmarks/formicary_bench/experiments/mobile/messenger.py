"""An agent that carries what it knows there and back: `mobile/messenger`."""

from __future__ import annotations

from formicary_bench.experiments.mobile import BETWEEN, of_moves

EXPERIMENT = of_moves(
    name="mobile/messenger",
    title="An agent that carries a message there and back",
    what="journeys of an agent to another container and back, per second",
    source="Dikaiakos 2001, MSG-MA: Fig. 15, Table 8",
    placements=BETWEEN,
    played_by="formicary_bench.experiments.mobile.moving",
)
