"""On how many cores of the machine the processes of a measurement may run."""

from __future__ import annotations

import os

MOST_CORES = 1024
"""The most that can be asked for."""

PLATFORM_CORES = "--cores requires Linux, which can restrict a process to some cores; omit --cores"
"""What is said where there is no such means."""


ONE_CORE = {"cores": (1,)} if hasattr(os, "sched_setaffinity") else {}
"""Sizes that keep those who take turns on one core, where the system can: of two, it matters which."""


def powers_of_two(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4 and so on up to a number, which is the last one whether it is a power of two or not."""
    found = [1 << power for power in range(most.bit_length()) if 1 << power < most]
    return (*found, most)
