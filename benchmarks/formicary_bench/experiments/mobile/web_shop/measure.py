"""How visits are measured: as all that talks, over a link that may be given a delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.runner.execution.delayed_network import delayed_network
from formicary_bench.runner.execution.repetition import measure

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.store.raw import AnyRaw
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import ProgressListener


def measure_visits(task: Task, listener: ProgressListener) -> tuple[Repetition, AnyRaw]:
    """Measure once, in fresh processes, which are gone when this returns.

    Args:
        task: what to measure.
        listener: told of the progress.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    with delayed_network(task.configuration.delay_us):
        return measure(task, listener)
