"""What one of many that sleep holds of the memory: Python's own account of its objects.

What the operating system gives to the process would say little of them: what those that fell asleep before
have given back is there to be taken again.
"""

from __future__ import annotations

import gc
import tracemalloc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile import Looped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary_bench.vocabulary.configuration import Configuration

FEWEST = 2000
"""How many are weighed at least: of fewer, what there is once in a file and a container would be the most."""


def weighed(configuration: Configuration) -> int:
    """Return how many are weighed together."""
    return max(Looped.of(configuration).loop, FEWEST)


@contextmanager
def weighing() -> Iterator[Callable[[], int]]:
    """Trace Python's objects, and yield a function that returns how many bytes the new ones hold."""

    def held() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    gc.collect()  # what is old would be freed untraced
    tracemalloc.start()
    try:
        yield held
    finally:
        tracemalloc.stop()
