"""Many senders, few receivers or as many: `traffic/massive-reception`."""

from __future__ import annotations

from formicary_bench.experiments.traffic import TIMES, Reception, traffic

EXPERIMENT = traffic(
    "traffic/massive-reception",
    "Many senders, and one to as many receivers",
    "round-trip time of senders, each with one of several receivers",
    "Test 2: Fig. 5b to 5d, 6b to 6d, 7b to 7d",
    TIMES,
    parameters=Reception,
)
