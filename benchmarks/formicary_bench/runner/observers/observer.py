"""Who follows a run, and who measures from outside while a repetition goes on: by itself, nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
