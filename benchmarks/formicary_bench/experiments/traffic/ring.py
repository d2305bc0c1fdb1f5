"""Agents that send to all others in turn: `traffic/ring`."""

from __future__ import annotations

from formicary_bench.experiments.traffic import traffic

EXPERIMENT = traffic(
    "traffic/ring",
    "Agents that send to all others in turn",
    "round-trip time where each of many agents sends to the next, the next but one, and so on round",
    "Test 1: Fig. 5a, 6a, 7a",
    (5, 6, 7),
)
