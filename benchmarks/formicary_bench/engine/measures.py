"""How a repetition of each experiment is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from formicary_bench.engine.growth import measure_growth
from formicary_bench.engine.memory import measure_memory
from formicary_bench.engine.network import measure_network
from formicary_bench.engine.repetition import measure
from formicary_bench.engine.saturation import measure_saturation
from formicary_bench.engine.scale_out import measure_scale_out
from formicary_bench.results.model import GROWTH, MEMORY, NETWORK, SATURATION, SCALE_OUT

if TYPE_CHECKING:
    from formicary.profiling.model import Profile
    from formicary_bench.engine.repetition import Task, Watcher
    from formicary_bench.results.model import Repetition
    from formicary_bench.results.raw import AnyRaw


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
    def __call__(self, task: Task, watcher: Watcher, /) -> tuple[Repetition, AnyRaw]: ...


_MEASURES: dict[str, _Measure] = {
    MEMORY: measure_memory,
    GROWTH: measure_growth,
    NETWORK: measure_network,
    SCALE_OUT: measure_scale_out,
    SATURATION: measure_saturation,
}


def measure_as_planned(task: Task, watcher: Watcher) -> Measured:
    """Measure once, in fresh processes, in the way that the configuration asks for.

    Raises:
        RepetitionError: nothing came of it; says what happened.
    """
    if task.configuration.profiled:
        from formicary_bench.engine.profiled import measure_profiled  # loads psutil

        return Measured(*measure_profiled(task, watcher))
    return Measured(*_MEASURES.get(task.configuration.experiment, measure)(task, watcher))
