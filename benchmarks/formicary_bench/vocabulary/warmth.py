"""What is counted of another platform beside its times: whether it was warm, and how it was when cold."""

from __future__ import annotations

SETTLED = "settled"
"""The counter that is 1 where it was measured when it had settled, 0 where it had not, and missing where that
is no question."""

WARM_UP_SECONDS, WARM_UP_ROUNDS = "warm-up seconds", "warm-up rounds"
"""How long it made rounds until it was measured, and how many."""

CPU_US = "CPU per round trip (us)"
"""CPU time of the process that asks, over what was measured."""

COLD_RATE, COLD_MEAN_US, COLD_CPU_US = (
    "cold round trips per second",
    "cold mean round trip (us)",
    "cold CPU per round trip (us)",
)
"""The same of the first round of its process, which is as long as what was measured."""
