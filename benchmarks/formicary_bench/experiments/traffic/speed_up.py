"""What more cores bring to traffic: `traffic/speed-up`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.traffic import SYNCHRONOUSLY, Reception, traffic

EXPERIMENT = traffic(
    "traffic/speed-up",
    "What more cores bring to traffic",
    "round-trip time on one core relative to several, in a ring and in massive reception",
    "Fig. 8 to 10",
    (8, 9, 10),
    parameters=Reception,
    subjects=(OURS, SYNCHRONOUSLY),
)
