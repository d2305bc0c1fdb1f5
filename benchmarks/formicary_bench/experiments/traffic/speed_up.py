"""What further cores are worth to traffic: `traffic/speed-up`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.traffic import SPEED_UPS, SYNCHRONOUSLY, Reception, traffic

EXPERIMENT = traffic(
    "traffic/speed-up",
    "What further cores are worth to traffic",
    "total time on one core over that on several, in a ring and in massive reception",
    "Fig. 8 to 10",
    SPEED_UPS,
    parameters=Reception,
    subjects=(OURS, SYNCHRONOUSLY),
)
