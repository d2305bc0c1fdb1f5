"""Chooses how a repetition is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.registry import EXPERIMENTS

if TYPE_CHECKING:
    from formicary.profiling.model.profile import Profile
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.store.raw import AnyRaw
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import ProgressListener


class Measured(NamedTuple):
    """A repetition, its raw values, and profiles of its workers by role, if it was profiled."""

    repetition: Repetition
    data: AnyRaw
    profiles: dict[str, Profile] = {}  # noqa: RUF012 -- nobody changes it


def measure_as_planned(task: Task, listener: ProgressListener) -> Measured:
    """Measure once, in fresh processes; raise a RepetitionError if that fails."""
    if task.configuration.profiled:
        from formicary_bench.runner.observers.profiled import measure_profiled  # loads psutil

        return Measured(*measure_profiled(task, listener))
    return Measured(*EXPERIMENTS[task.configuration.experiment].measure.load()(task, listener))
