"""How a repetition of each experiment is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from formicary_bench.experiments.memory.measure import measure_memory
from formicary_bench.experiments.memory.measure_growth import measure_growth
from formicary_bench.experiments.messaging.saturation.measure import measure_saturation
from formicary_bench.experiments.messaging.scale_out.measure import measure_scale_out
from formicary_bench.experiments.network.measure import measure_network
from formicary_bench.runner.execution.repetition import measure
from formicary_bench.vocabulary.names import GROWTH, MEMORY, NETWORK, SATURATION, SCALE_OUT

if TYPE_CHECKING:
    from formicary.profiling.model.profile import Profile
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.store.raw import AnyRaw
    from formicary_bench.runner.execution.repetition import ProgressListener, Task


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


class _Measure(Protocol):
    def __call__(self, task: Task, listener: ProgressListener, /) -> tuple[Repetition, AnyRaw]: ...


_MEASURES: dict[str, _Measure] = {
    MEMORY: measure_memory,
    GROWTH: measure_growth,
    NETWORK: measure_network,
    SCALE_OUT: measure_scale_out,
    SATURATION: measure_saturation,
}


def measure_as_planned(task: Task, listener: ProgressListener) -> Measured:
    """Measure once, in fresh processes, in the way that the configuration asks for.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    if task.configuration.profiled:
        from formicary_bench.runner.observers.profiled import measure_profiled  # loads psutil

        return Measured(*measure_profiled(task, listener))
    return Measured(*_MEASURES.get(task.configuration.experiment, measure)(task, listener))
