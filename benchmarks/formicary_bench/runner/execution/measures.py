"""How a repetition of each experiment is measured."""

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
    """What comes of a repetition.

    Attributes:
        repetition: what is known of it.
        data: its raw values.
        profiles: where the CPU time of its workers went, by role, where it was profiled.
    """

    repetition: Repetition
    data: AnyRaw
    profiles: dict[str, Profile] = {}  # noqa: RUF012 -- nobody changes it


def measure_as_planned(task: Task, listener: ProgressListener) -> Measured:
    """Measure once, in fresh processes, in the way that the configuration asks for.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    if task.configuration.profiled:
        from formicary_bench.runner.observers.profiled import measure_profiled  # loads psutil

        return Measured(*measure_profiled(task, listener))
    return Measured(*EXPERIMENTS[task.configuration.experiment].measure.load()(task, listener))
