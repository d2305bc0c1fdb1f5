"""How many containers are best on so many cores: `traffic/pool-size`."""

from __future__ import annotations

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.traffic import traffic

EXPERIMENT = traffic(
    "traffic/pool-size",
    "Containers and cores",
    "round-trip time of a ring of agents, by containers and cores",
    "Section 4.4",
    {},
    pairs=(64,),
    containers=(1, 2, 3, 4),
    short=(1, 2),
    subjects=(OURS,),
)
