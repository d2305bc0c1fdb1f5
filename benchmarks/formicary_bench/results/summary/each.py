"""What one repetition gave: all that rows, verdicts and comparisons are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import declared
from formicary_bench.vocabulary.metrics import RATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.statistics.intervals import Interval
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

Record = dict[str, float]
"""A line of a table of numbers, by the names of its columns."""


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one repetition.

    Attributes:
        values: By the names of their metrics.
        full_load: Whether it held full load; where that is no question, it did.
    """

    values: dict[str, float]
    full_load: bool = True


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read of one repetition.

    Attributes:
        each: Its figures.
        records: What was measured in several steps of it, a record for each.
        within: The intervals that figures have within it, by the names of their metrics: they count where it
            is the only repetition.
    """

    each: Each
    records: Sequence[Record] = ()
    within: Mapping[str, Interval] = {}


def reading(
    values: Mapping[Metric, float | None],
    *,
    records: Sequence[Record] = (),
    within: Mapping[Metric, Interval | None] | None = None,
) -> Reading:
    """Return what was read of a repetition; values and intervals that are None are left out."""
    intervals = {metric.name: one for metric, one in (within or {}).items() if one is not None}
    return Reading(each=Each(values=named(values)), records=records, within=intervals)


def named(values: Mapping[Metric, float | None]) -> dict[str, float]:
    """Return values by the names of their metrics; those that are None are left out."""
    return {metric.name: value for metric, value in values.items() if value is not None}


def with_derived(each: Each, configuration: Configuration) -> Each:
    """Return the figures of a repetition with those that follow from them."""
    known = declared(configuration.experiment)
    if known is None or not known.derived:
        return each
    more = {metric: derive(configuration, each.values) for metric, derive in known.derived.items()}
    return msgspec.structs.replace(each, values=each.values | named(more))


def samples_of(each: Iterable[Each]) -> dict[str, list[float]]:
    """Return the values of each metric that repetitions have, in their order."""
    found: dict[str, list[float]] = {}
    for one in each:
        for name, value in one.values.items():
            found.setdefault(name, []).append(value)
    return found


def counting(each: Sequence[Each]) -> Sequence[Each]:
    """Return the repetitions that figures are made of: those that held full load, or all where none did."""
    return [one for one in each if one.full_load] or each


def comparable(
    each: Iterable[Each], metrics: Mapping[str, Metric], *, is_paced: bool
) -> dict[str, list[float]]:
    """Return what platforms and runs are compared by: figures of repetitions that held full load.

    Args:
        each: The repetitions.
        metrics: Those of their experiment, by name.
        is_paced: Whether they are of an open loop, whose rate is what was asked for.
    """
    found = samples_of([one for one in each if one.full_load])
    return {
        name: values
        for name, values in found.items()
        if name in metrics and metrics[name].is_compared and not (is_paced and name == RATE.name)
    }
