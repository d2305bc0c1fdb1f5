"""How rows are made of pairs on more and more hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.experiments.messaging.scale_out.summary import scale_each, scale_estimates
from formicary_bench.results.summary.exchanged import rate_of
from formicary_bench.results.summary.round_trips import Exchanges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.exchanged import Measured
    from formicary_bench.results.summary.load import Load
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration


def _costs(
    configuration: Configuration, repetition: Repetition, load: Load, _: Any
) -> dict[str, float | None]:
    return scale_each(configuration, repetition.counters, rate_of(load))


def _with_scale(
    row: Row,
    configuration: Configuration,
    repetitions: list[Repetition],
    found: Sequence[Measured | None],
) -> Row:
    """Fill in what a message costs."""
    known = [(repetition, one) for repetition, one in zip(repetitions, found, strict=True) if one is not None]
    if not known:
        return row
    having, rates = [repetition for repetition, _ in known], [rate_of(one.load) for _, one in known]
    scale = scale_estimates(configuration, having, rates, [one.mean_us for _, one in known])
    return msgspec.structs.replace(row, scale=scale)


SUMMARY = Exchanges(others=_costs, extended=_with_scale)
