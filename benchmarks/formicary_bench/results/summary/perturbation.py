"""What profiling costs: repetitions with it against repetitions without, which came in turn with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.store.raw import Creations, RoundTrips
from formicary_bench.results.summary.cpu import profiled_rate
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.load import load_of
from formicary_bench.vocabulary.metrics import RATE
from formicary_bench.vocabulary.parameters.shared import Agents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration


def losses(
    run: RunFolder, configuration: Configuration, repetitions: Sequence[Repetition]
) -> tuple[float, ...]:
    """Return by which part of the rate each profiled repetition was slower than its twin without.

    The twin is the repetition of the same number: it is of the same round of the schedule, so that what else
    happens on the machine happens to both.

    Args:
        run: The run.
        configuration: A profiled configuration.
        repetitions: Its repetitions.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    without = {one.number: one for twin in _twins(configuration) for one in run.manifest.repetitions_of(twin)}
    pairs = [(one, without[one.number]) for one in repetitions if one.number in without]
    rates = [
        (_rate(run, configuration, one, is_profiled=True), _rate(run, configuration, other))
        for one, other in pairs
    ]
    return tuple(1 - with_it / plain for with_it, plain in rates if with_it and plain)


def _twins(profiled: Configuration) -> tuple[Configuration, Configuration]:
    plain = msgspec.structs.replace(profiled, profiled=False)
    return plain, msgspec.structs.replace(plain, reference=True)


def _rate(
    run: RunFolder, configuration: Configuration, repetition: Repetition, *, is_profiled: bool = False
) -> float:
    """Return how fast a repetition went, as far as it was profiled if it was; zero if that is not known."""
    if Agents.of(configuration).agents:
        data = run.raw(repetition, Creations)
        seconds = float(data.seconds.sum())
        return int(data.agents.sum()) / seconds if seconds else 0.0
    if not configuration.exchange.measured:  # it has no round trips, and is profiled as a whole
        each = summary_of(configuration.experiment).each(run, configuration, repetition)
        return each.values.get(RATE.name, 0.0) if each else 0.0
    if is_profiled:
        return profiled_rate(repetition)
    load = load_of(run.raw(repetition, RoundTrips))
    return load.round_trips_in_window / load.window_s if load and load.window_s else 0.0
