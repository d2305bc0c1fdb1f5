"""Measures the creation of agents: rate, and memory per agent.

A fresh process creates them in batches; a batch ends when all its agents wait for messages. Garbage is
collected as usual.

Memory is the growth of the unique set size (USS) from before the first batch to after the last. Python's own
account (tracemalloc) would be smaller, without overheads of the allocator and memory of libraries, and would
slow creation down. USS is read outside the batches' times.
"""

from __future__ import annotations

import gc
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.vocabulary.parameters.shared import Agents

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary_bench.worker.workload import Workload

BATCHES = 20


async def measure_creation(work: Workload, create: Callable[[range], Awaitable[None]]) -> None:
    """Create the agents of a job in batches, and store the results in `batches`.

    Args:
        work: the workload.
        create: creates agents by their numbers, and returns when all of them wait.
    """
    sizes: list[int] = []
    took: list[float] = []
    before = _memory()
    work.mark(True)
    for numbers in batches(Agents.of(work.configuration).agents):
        start = perf_counter()
        await create(numbers)
        took.append(perf_counter() - start)
        sizes.append(len(numbers))
        work.steps += len(numbers)
    work.mark(False)
    held = max(_memory() - before, 0)
    # The system allocates in large pieces, so a single batch's growth would say little.
    each = held // Agents.of(work.configuration).agents
    work.batches += [(size, seconds, size * each) for size, seconds in zip(sizes, took, strict=True)]


def batches(agents: int) -> list[range]:
    """Split the numbers of agents into non-empty batches of nearly equal size."""
    count = min(BATCHES, agents)
    edges = [agents * place // count for place in range(count + 1)]
    return [range(first, last) for first, last in pairwise(edges)]


def _memory() -> int:
    import psutil

    gc.collect()
    return int(psutil.Process().memory_full_info().uss)
