"""What is counted where agents compute."""

from __future__ import annotations

CPU_GROUP = "agents"

CPU_SECONDS = "CPU seconds computed"
"""The counter: the CPU time of all computations together."""
