"""Make and record the rounds of a service; fetch and print in each."""

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

_PER_S = 100_000  # rounds, approximately
_DATA = "a line of text that a client asked for"


def fetch(_: str = "") -> str:
    """Fetch what the client asked for."""
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
    """Make all rounds, recording the time of each batch and the memory of the process after it.

    Args:
        work: the number of rounds; its `batches` get rounds, seconds and bytes.
        make: makes a number of rounds one after another.
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
    """Estimate the duration of a repetition."""
    return DefaultDuration(begin, Mediated.of(one).requests / _PER_S)
