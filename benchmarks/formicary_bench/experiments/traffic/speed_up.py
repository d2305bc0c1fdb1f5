"""What more cores bring to traffic: `traffic/speed-up`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.traffic import SPEED_UPS, SYNCHRONOUSLY, Reception, traffic

EXPERIMENT = traffic(
    "traffic/speed-up",
    "What more cores bring to traffic",
    "total time on one core relative to several, in a ring and in massive reception",
    "Fig. 8 to 10",
    SPEED_UPS,
    parameters=Reception,
    subjects=(OURS, SYNCHRONOUSLY),
)
