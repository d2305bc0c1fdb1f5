"""Measure the memory of processes, idle (`memory`) and while messages are exchanged (`memory/growth`).

Two processes run one after another: for the first, the system reports the memory that it alone has (USS, the
unique set size); in the second, Python traces its own memory (tracemalloc), which takes memory itself and
would spoil the first.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from formicary.processes.child import Child
from formicary.processes.lines import Lines
from formicary.processes.messages import Progress
from formicary.processes.words import ended_how
from formicary_bench.results.store.raw import Holdings
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.repetition import RepetitionRun
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.subjects.ours.holding import BARE
from formicary_bench.subjects.registry import has_driver
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.worker.interruption import allow_interrupts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import PlacedWorker, ProgressListener
    from formicary_bench.vocabulary.configuration import Configuration


_QUIET_SECONDS = 60.0  # without output: tracing makes creating a batch of agents several times slower


class Traced(msgspec.Struct, frozen=True, tag="traced"):
    """Everything is ready; Python has traced a number of bytes."""

    bytes: int


def measure_memory(task: Task, listener: ProgressListener) -> tuple[Repetition, Holdings]:
    """Measure once, in fresh processes that have ended when this returns.

    Raises:
        RepetitionError: it failed.
    """
    import numpy as np

    started = datetime.now(UTC)
    if has_driver(task.configuration):
        uss, traced = _weigh_driver(task.configuration, listener)
    else:
        uss, _ = _weigh(task.configuration, listener, traced=False)
        _, traced = _weigh(task.configuration, listener, traced=True)
    known = task.repetition(started)
    columns = np.zeros(1), np.zeros(1, np.int64), np.array([uss]), np.array([traced])
    return known, Holdings(*columns)


def _weigh_driver(configuration: Configuration, listener: ProgressListener) -> tuple[int, int]:
    """Return the same two numbers of another platform: its driver knows what its objects take."""
    from formicary_bench.subjects.drivers import DriverError
    from formicary_bench.subjects.drivers.driven import weigh

    def advance(done: int) -> None:
        listener.advance(done, time.perf_counter_ns())

    try:
        with allow_interrupts():
            return asyncio.run(weigh(configuration.platform, Agents.of(configuration).agents, advance))
    except DriverError as error:
        raise RepetitionError(str(error).rstrip(".")) from error


def _weigh(configuration: Configuration, listener: ProgressListener, *, traced: bool) -> tuple[int, int]:
    """Return the unique set size of such a process, and the memory traced in it, in bytes."""
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
    """Start a process that holds what is weighed, and end it after the block."""
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
            raise RepetitionError(f"the weighed process {how}: {process.last_words()}") from None


def _until_ready(process: Child, listener: ProgressListener) -> int:
    """Wait until the process is ready, and return the bytes it has traced."""
    assert process.stdout is not None
    lines: Lines[Progress | Traced] = Lines(Progress | Traced)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            with allow_interrupts():
                events = selector.select(_QUIET_SECONDS)
            if not events:
                raise RepetitionError(f"the weighed process was silent for {_QUIET_SECONDS:g} s")
            data = os.read(process.stdout.fileno(), 1 << 12)
            if not data:
                raise EOFError
            for said in lines.feed(data):
                if isinstance(said, Traced):
                    return said.bytes
                listener.advance(said.done, time.perf_counter_ns())


_FEWEST = 10  # samples needed for a slope


@dataclass
class MemorySampler(Observer):
    """Samples the workers' memory each time that one reports progress.

    Attributes:
        rows: seconds, messages, bytes.
    """

    rows: list[tuple[float, int, int]] = field(default_factory=list)
    _workers: tuple[PlacedWorker, ...] = ()
    _began_ns: int = 0

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Set the processes to watch."""
        self._workers = tuple(workers.values())

    def advance(self, done: int, at_ns: int) -> None:
        """Take a sample."""
        self._began_ns = self._began_ns or at_ns
        looked = [slot.host.look((process.pid,)).uss_bytes for slot, process in self._workers]
        if not all(looked):
            return  # one has ended: the repetition fails on its own, with the reason
        held = sum(sum(one.values()) for one in looked)
        # A round trip is two messages.
        self.rows.append(((at_ns - self._began_ns) / 1e9, 2 * done, held))


def measure_growth(task: Task, listener: ProgressListener) -> tuple[Repetition, Holdings]:
    """Measure once, in fresh processes that have ended when this returns.

    Raises:
        RepetitionError: it failed.
    """
    import numpy as np

    started = datetime.now(UTC)
    sampler = MemorySampler()
    # A slow turn of a loaded loop does not matter here: the load ends by the clock.
    with RepetitionRun(task, listener, sampler) as running:
        running.finish()
    if not sampler.rows:
        raise RepetitionError("the system does not report the memory of a process; measure without memory")
    if len(sampler.rows) < _FEWEST:
        raise RepetitionError(
            f"the memory was sampled {len(sampler.rows)} times, and {_FEWEST} are needed; measure "
            "for more seconds"
        )
    seconds, messages, held = zip(*sampler.rows, strict=True)
    known = task.repetition(
        started,
        elapsed_s=seconds[-1],
    )
    columns = np.array(seconds), np.array(messages), np.array(held), np.zeros(len(held), np.int64)
    return known, Holdings(*columns)
