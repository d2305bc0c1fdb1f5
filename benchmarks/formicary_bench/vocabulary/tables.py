"""The tables of papers that are shown beside experiments, by name."""

from __future__ import annotations

OF_MEMORY, ON_THE_WIRE, OF_LOOPS, OF_A_SERVICE, OF_FAIRNESS = "memory", "wire", "loops", "service", "fairness"
