"""Agents that send to all others in turn: `traffic/ring`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.traffic import TIMES, traffic
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.places import SAME

EXPERIMENT = traffic(
    "traffic/ring",
    "Agents that send to all others in turn",
    "round-trip time of many agents, each sending to the next, the next but one, and so on",
    "Test 1: Fig. 5a, 6a, 7a",
    TIMES,
    selected={
        TOUR: (
            Take(subjects=(OURS, "tasks"), sizes={"pairs": (10,), "containers": (2,)}, placements=(SAME,)),
        )
    },
)
