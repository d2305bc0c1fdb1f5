"""What is computed: arithmetic on a data structure, as in Pérez-Carro 2013, Section 3.2.1."""

from __future__ import annotations

from time import thread_time

CPU_GROUP = "agents"

PASSES = 64
"""How often a computation goes over all numbers: in some 50 ms, many times what it costs to hand it over."""

_NUMBERS = tuple(range(10_000))


def compute(passes: int = PASSES) -> float:
    """Compute in plain Python, which holds Python's lock meanwhile.

    Returns:
        The seconds of CPU time that this thread took for it.
    """
    began = thread_time()
    total = 1
    for _ in range(passes):
        for number in _NUMBERS:
            total = (total * 31 + number) & 0xFFFFFFFF
    return thread_time() - began
