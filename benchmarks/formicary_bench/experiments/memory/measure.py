"""What fresh processes hold of the memory when all is ready and nothing happens: `memory`.

Two processes, one after the other: of the first, the system is asked from outside what it gave to it alone
(USS, the unique set size); the second has Python trace its own memory (tracemalloc), which takes memory
itself, and would spoil the first.
"""

from __future__ import annotations

import os
import selectors
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from formicary.processes.child import Child
from formicary.processes.lines import Lines
from formicary.processes.messages import Progress
from formicary.processes.words import ended_how
from formicary_bench.results.store.raw import Holdings
from formicary_bench.runner import RepetitionError
from formicary_bench.subjects.ours.holding import BARE
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.worker.interruption import allow_interrupts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import ProgressListener
    from formicary_bench.vocabulary.configuration import Configuration

_QUIET_SECONDS = 60.0  # without a word: tracing makes creating a batch of agents several times slower


class Traced(msgspec.Struct, frozen=True, tag="traced"):
    """All is ready; Python has traced so many bytes of memory."""

    bytes: int


def measure_memory(task: Task, listener: ProgressListener) -> tuple[Repetition, Holdings]:
    """Measure once, in fresh processes, which are gone when this returns.

    Args:
        task: what to measure.
        listener: told of the progress.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    import numpy as np

    started = datetime.now(UTC)
    uss, _ = _weigh(task.configuration, listener, traced=False)
    _, traced = _weigh(task.configuration, listener, traced=True)
    known = task.repetition(started)
    columns = np.zeros(1), np.zeros(1, np.int64), np.array([uss]), np.array([traced])
    return known, Holdings(*columns)


def _weigh(configuration: Configuration, listener: ProgressListener, *, traced: bool) -> tuple[int, int]:
    """Return what the system gave to such a process alone, and what Python traced in it, in bytes."""
    import psutil

    with _holding(configuration, traced=traced) as process:
        traced_bytes = _until_ready(process, listener)
        try:
            held = psutil.Process(process.pid).memory_full_info()
        except psutil.Error as error:
            raise RepetitionError(f"the system does not report the memory of a process: {error}") from error
        return int(held.uss), traced_bytes


@contextmanager
def _holding(configuration: Configuration, *, traced: bool) -> Iterator[Child]:
    """Start a process that holds what is to be weighed; it is gone after the block."""
    options = ["-X", "tracemalloc"] if traced else []
    program = (
        ["-c", BARE]
        if configuration.platform == "python"
        else [
            "-m",
            "formicary_bench.subjects.ours.holding",
            configuration.kind,
            str(Agents.of(configuration).agents),
        ]
    )
    with Child([sys.executable, "-P", *options, *program], is_piped=True, keeps_words=True) as process:
        try:
            yield process
        except EOFError:
            how = ended_how(process.wait())
            raise RepetitionError(f"the process to be weighed {how}: {process.last_words()}") from None


def _until_ready(process: Child, listener: ProgressListener) -> int:
    """Wait until it is ready and return what it has traced, in bytes."""
    assert process.stdout is not None
    lines: Lines[Progress | Traced] = Lines(Progress | Traced)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            with allow_interrupts():
                events = selector.select(_QUIET_SECONDS)
            if not events:
                raise RepetitionError(f"the process to be weighed has said nothing for {_QUIET_SECONDS:g} s")
            data = os.read(process.stdout.fileno(), 1 << 12)
            if not data:
                raise EOFError
            for said in lines.feed(data):
                if isinstance(said, Traced):
                    return said.bytes
                listener.advance(said.done, time.perf_counter_ns())
