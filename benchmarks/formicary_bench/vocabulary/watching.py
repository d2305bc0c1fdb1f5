"""How our agents are watched while they talk, and what is found of it."""

from __future__ import annotations

VIEWED, FOLLOWED, LEFT, ALONE = "viewed", "followed", "left", "alone"
"""By a view of all messages; by one that follows a conversation, which is none of theirs; by one that has
gone; and by none, where the same times are compared as of one that has gone."""

WATCHES = (VIEWED, FOLLOWED, LEFT, ALONE)

CPU_TIMES, RATE_TIMES = "cpu_times", "rate_times"
"""Counters: the CPU time of a round trip, and the rate, times those without a viewer."""
