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
        """Called with a sentence for the user."""

    def advance(self, done: int, at_ns: int) -> None:
        """Called with the number of completed round trips at a time of the worker's clock."""


class RunListener(ProgressListener):
    """Follows a run; this one does nothing."""

    def plan(self, folder: Path, configurations: int, repetitions: int) -> None:
        """Called with the run's folder, and the numbers of configurations and repetitions."""

    def agrees(self) -> bool:
        """Return whether to start a long run; called before it."""
        return True

    def begin(self, configuration: Configuration) -> None:
        """Called when a repetition begins."""

    def end(self) -> None:
        """Called when a repetition has ended, even by failing."""

    def remains(self, seconds: float) -> None:
        """Called with the expected seconds of the rest."""


class PlacedWorker(NamedTuple):
    """A slot and its worker."""

    slot: WorkerSlot
    process: WorkerProcess


class Observer:
    """Measures from outside while round trips are made; this one measures nothing.

    Attributes:
        marks: whether `mark` is to be called.
    """

    marks = False

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Called with all workers, by the labels of their slots, when they have met, before they begin."""

    def advance(self, done: int, at_ns: int) -> None:
        """Called with the number of completed round trips at a time of the worker's clock."""

    def mark(self, mark: Mark) -> None:
        """Called when all pairs have entered T2, and when the first one has left it."""

    def heard(self, worker: str, report: Accounted) -> None:
        """Called with the answer of a worker that was asked to account for its CPU time."""

    def give_up(self) -> None:
        """Called if the repetition fails, before its workers are ended; release any that are stopped."""


NOBODY = Observer()


@dataclass(frozen=True)
class MachineUse:
    """The CPU time used of this machine until a moment, in seconds.

    Attributes:
        busy_s: by all processes.
        idle_s: by nobody.
        stolen_s: by other virtual machines.
        ours_s: by this process and all that it has started, including ended ones.
    """

    busy_s: float
    idle_s: float
    stolen_s: float
    ours_s: float

    @classmethod
    def now(cls) -> Self:
        """Read the counters of this machine."""
        import psutil

        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        stolen = getattr(times, "steal", 0.0)
        # What virtual machines on this one use is counted as time of their processes already.
        busy = sum(getattr(times, name, 0.0) for name in ("user", "system", "nice", "irq", "softirq"))
        return cls(busy_s=busy, idle_s=idle, stolen_s=stolen, ours_s=_ours_s())

    def others_since(self, first: MachineUse, cores: int) -> float | None:
        """Return the average number of cores that other processes used since an earlier moment."""
        whole = self._whole_s - first._whole_s
        others = (self.busy_s - first.busy_s) - (self.ours_s - first.ours_s)
        return max(others, 0.0) / whole * cores if whole > 0 else None

    def stolen_since(self, first: MachineUse) -> float | None:
        """Return the share of CPU time that other virtual machines took since an earlier moment."""
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
