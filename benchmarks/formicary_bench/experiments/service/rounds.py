"""How rounds of a service are made and noted, and what is fetched and printed in each."""

from __future__ import annotations

import os
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.service import Mediated
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.worker.creation import batches

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.workload import Workload

_PER_S = 100_000  # rounds, about
_DATA = "a line of text that somebody has asked for"


def fetch(_: str = "") -> str:
    """Fetch what the client has asked for."""
    return _DATA


@contextmanager
def console() -> Iterator[Callable[[str], str]]:
    """Yield a function that prints a line to the null device and returns an empty answer."""
    with open(os.devnull, "w", encoding="utf-8") as file:  # noqa: PTH123 -- no path of anybody's

        def write(line: str) -> str:
            file.write(f"{line}\n")
            return ""

        yield write


async def measure_rounds(work: Workload, make: Callable[[int], Awaitable[None]]) -> None:
    """Make all rounds, and note in batches what time they take, and what memory the process has after each.

    Args:
        work: how many; its `batches` get rounds, seconds and bytes.
        make: makes so many, one after the other.
    """
    import psutil

    process = psutil.Process()
    work.mark(True)
    for numbers in batches(Mediated.of(work.configuration).requests):
        start = perf_counter()
        await make(len(numbers))
        seconds = perf_counter() - start
        work.batches.append((len(numbers), seconds, int(process.memory_full_info().uss)))
        work.steps += len(numbers)
    work.mark(False)


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long a repetition takes."""
    return DefaultDuration(begin, Mediated.of(one).requests / _PER_S)
