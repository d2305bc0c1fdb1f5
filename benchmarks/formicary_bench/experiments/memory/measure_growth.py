"""What processes hold of the memory while messages go to and fro: `memory/growth`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from formicary_bench.results.store.raw import Holdings
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.repetition import RepetitionRun
from formicary_bench.runner.observers.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import PlacedWorker, ProgressListener

_FEWEST = 10  # looks at the memory that a slope is taken from


@dataclass
class MemorySampler(Observer):
    """Looks at what the workers hold, each time one has said how far it has come.

    Attributes:
        rows: seconds, messages, bytes.
    """

    rows: list[tuple[float, int, int]] = field(default_factory=list)
    _workers: tuple[PlacedWorker, ...] = ()
    _began_ns: int = 0

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Keep whom to look at."""
        self._workers = tuple(workers.values())

    def advance(self, done: int, at_ns: int) -> None:
        """Look."""
        self._began_ns = self._began_ns or at_ns
        looked = [slot.host.look((process.pid,)).uss_bytes for slot, process in self._workers]
        if not all(looked):
            return  # one is gone: the repetition breaks by itself, and says why
        held = sum(sum(one.values()) for one in looked)
        # A round trip is two messages.
        self.rows.append(((at_ns - self._began_ns) / 1e9, 2 * done, held))


def measure_growth(task: Task, listener: ProgressListener) -> tuple[Repetition, Holdings]:
    """Measure once, in fresh processes, which are gone when this returns.

    Args:
        task: what to measure.
        listener: told of the progress.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    import numpy as np

    started = datetime.now(UTC)
    sampler = MemorySampler()
    # What one slow turn of a loaded loop takes does not matter here: the load ends by the clock.
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
