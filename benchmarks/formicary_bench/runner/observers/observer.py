"""Listeners of a run, and observers of a repetition; these base classes do nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from formicary_bench.runner.execution.worker_hosts import WorkerProcess, WorkerSlot
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.messages import Accounted, Mark


class ProgressListener:
    """Follows a repetition; this one does nothing."""

    def say(self, sentence: str) -> None:
        """Called with what a user should know at once."""

    def advance(self, done: int, at_ns: int) -> None:
        """Called with how many round trips are done at a time of the worker's clock."""


class RunListener(ProgressListener):
    """Follows a run; this one does nothing."""

    def plan(self, folder: Path, configurations: int, repetitions: int) -> None:
        """Called with how much there is to do, and the run's folder."""

    def agrees(self) -> bool:
        """Return whether to start a long run; called before it."""
        return True

    def begin(self, configuration: Configuration) -> None:
        """Called when a repetition begins."""

    def end(self) -> None:
        """Called when it has ended, well or not."""

    def remains(self, seconds: float) -> None:
        """Called with how long all that is left may take."""


class PlacedWorker(NamedTuple):
    """A slot, and the worker that has taken it."""

    slot: WorkerSlot
    process: WorkerProcess


class Observer:
    """Measures from outside while round trips are made; this one measures nothing.

    Attributes:
        marks: whether `mark` is to be called.
    """

    marks = False

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Called with all workers, by the labels of their slots, when they have met; they then begin."""

    def advance(self, done: int, at_ns: int) -> None:
        """Called with how many round trips are done at a time of the worker's clock."""

    def mark(self, mark: Mark) -> None:
        """Called when all pairs have entered T2, and when the first one has left it."""

    def heard(self, worker: str, report: Accounted) -> None:
        """Called with the answer of a worker that was asked to account for its CPU time."""

    def give_up(self) -> None:
        """Called where the repetition breaks, before its workers are ended: who stops them has to let go."""


NOBODY = Observer()


@dataclass(frozen=True)
class MachineUse:
    """The CPU time used of this machine until a moment, in seconds.

    Attributes:
        busy_s: by all processes.
        idle_s: by nobody.
        stolen_s: by other virtual machines.
        ours_s: by this process and all that it has started, those that have ended included.
    """

    busy_s: float
    idle_s: float
    stolen_s: float
    ours_s: float

    @classmethod
    def now(cls) -> Self:
        """Look at the counters of this machine."""
        import psutil

        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        stolen = getattr(times, "steal", 0.0)
        # What virtual machines on this one use is counted as time of their processes already.
        busy = sum(getattr(times, name, 0.0) for name in ("user", "system", "nice", "irq", "softirq"))
        return cls(busy_s=busy, idle_s=idle, stolen_s=stolen, ours_s=_ours_s())

    def others_since(self, first: MachineUse, cores: int) -> float | None:
        """Return how many cores processes that are not ours used since another look, on average."""
        whole = self._whole_s - first._whole_s
        others = (self.busy_s - first.busy_s) - (self.ours_s - first.ours_s)
        return max(others, 0.0) / whole * cores if whole > 0 else None

    def stolen_since(self, first: MachineUse) -> float | None:
        """Return what part of the CPU time other virtual machines took since another look."""
        whole = self._whole_s - first._whole_s
        return max(self.stolen_s - first.stolen_s, 0.0) / whole if whole > 0 else None

    @property
    def _whole_s(self) -> float:
        return self.busy_s + self.idle_s + self.stolen_s


def _ours_s() -> float:
    import psutil

    used = sum(os.times()[:4])  # of children, those that have ended and were waited for
    for child in psutil.Process().children(recursive=True):
        try:
            used += sum(child.cpu_times()[:4])
        except psutil.Error:  # it has just ended
            continue
    return used
