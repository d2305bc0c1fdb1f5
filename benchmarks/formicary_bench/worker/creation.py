"""Creating agents: how many per second, and what each one holds of the memory.

A fresh process makes them in batches, and a batch ends when all of its agents wait for messages. Garbage is
collected whenever Python finds it due, as in a program of a user's own.

The memory is that which the operating system gave to this process alone (USS, the unique set size), after the
last batch less before the first, by agent. Python's own account of its objects (tracemalloc) is smaller: it
leaves out what the allocator takes to keep them, and what the libraries' own allocations hold. It would also
make creating several times slower. The operating system is asked outside the batches' times.
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
    """Create the agents of a job in batches and note what it took.

    Args:
        work: how many agents; its `batches` get the results.
        create: creates the agents of these numbers and returns when all of them wait.
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
    # The system gives memory in large pieces, so one batch's own share would say little.
    each = held // Agents.of(work.configuration).agents
    work.batches += [(size, seconds, size * each) for size, seconds in zip(sizes, took, strict=True)]


def batches(agents: int) -> list[range]:
    """Split the numbers of agents into batches that are as equal as can be, none of them empty."""
    count = min(BATCHES, agents)
    edges = [agents * place // count for place in range(count + 1)]
    return [range(first, last) for first, last in pairwise(edges)]


def _memory() -> int:
    import psutil

    gc.collect()
    return int(psutil.Process().memory_full_info().uss)
