"""How a repetition of each experiment is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from formicary_bench.engine.growth import measure_growth
from formicary_bench.engine.memory import measure_memory
from formicary_bench.engine.network import measure_network
from formicary_bench.engine.repetition import measure
from formicary_bench.results.model import GROWTH, MEMORY, NETWORK

if TYPE_CHECKING:
    from formicary_bench.engine.repetition import Task, Watcher
    from formicary_bench.results.model import Configuration, Repetition
    from formicary_bench.results.raw import AnyRaw


class Measure(Protocol):
    """Measures once, in fresh processes; raises RepetitionError if nothing came of it."""

    def __call__(self, task: Task, watcher: Watcher, /) -> tuple[Repetition, AnyRaw]:
        """Return what is known of the repetition, and its raw values."""


_MEASURES: dict[str, Measure] = {
    MEMORY: measure_memory,
    GROWTH: measure_growth,
    NETWORK: measure_network,
}


def measure_of(configuration: Configuration) -> Measure:
    """Return what measures a configuration."""
    return _MEASURES.get(configuration.experiment, measure)
