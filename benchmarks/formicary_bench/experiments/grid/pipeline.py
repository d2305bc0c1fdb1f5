"""How a grid is spread over containers, how long its swaps take, and how its rows are made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.grid import swap
from formicary_bench.results.store.raw import Tallies
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary import values
from formicary_bench.vocabulary.places import APART, SAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration


_CREATED = 25_000  # agents per second
# Requests to swap per second.
_REQUESTED, _REQUESTED_OURS, _REQUESTED_APART = {"callbacks": 1_500_000}, 350_000, 60_000


def in_containers(draft: Draft) -> Iterator[Draft]:
    """Yield the draft if its containers fit its placement: one, or several with a process each.

    Raises:
        UsageError: there are more containers than cells to a side.
    """
    containers, dimension = draft.sizes["containers"], draft.sizes["dimension"]
    is_apart = containers > 1
    if draft.layout.placement != (APART if is_apart else SAME):
        return
    if is_apart and draft.subject.exchanges:  # drivers have one process
        return
    if containers > dimension:
        raise UsageError(
            f"a grid with {dimension} cells a side cannot be spread over {containers} containers, "
            f"because each needs a row; use --containers {dimension} or fewer"
        )
    yield draft


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition; all cells make nearly as many swaps as the first."""
    sizes = swap.Swapping.of(one)
    rate = _REQUESTED_APART if sizes.containers > 1 else _REQUESTED.get(one.platform, _REQUESTED_OURS)
    return DefaultDuration(begin, sizes.cells / _CREATED + sizes.cells * sizes.swaps / rate)


_MESSAGES = 2
"""Messages of a request: itself, and its answer."""


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read what the agents of a repetition did; None if they did nothing."""
    data = run.raw(repetition, Tallies)
    agents, swaps = data.agents.tolist(), data.swaps.tolist()
    many = sum(agents)
    made = sum(one * count for one, count in zip(swaps, agents, strict=True))
    seconds = max(data.seconds.tolist(), default=0.0)
    if not made or seconds <= 0:
        return None
    requests, mean = made + sum(data.refused.tolist()), made / many
    squares = math.fsum(count * (one - mean) ** 2 for one, count in zip(swaps, agents, strict=True))
    deviation = math.sqrt(squares / many)
    there = [one for one, count in zip(swaps, agents, strict=True) if count]
    return reading(
        {
            swap.REQUESTS: requests / seconds,
            swap.GRANTED: made / seconds,
            swap.MESSAGES: _MESSAGES * requests / seconds,
            swap.EACH: mean,
            swap.DEVIATION: deviation,
            swap.BY_CHANCE: deviation / math.sqrt(mean),
            swap.UNFAIRNESS: (max(there) - min(there)) / max(there),
            swap.REFUSED: 1 - made / requests,
            swap.HELD: repetition.counters.get(values.HELD_BYTES),
        }
    )


def _is_held_against(row: Row, base: Row) -> bool:
    """Return whether a row is compared with another: copies with references, references with others."""
    is_copied = (row.kind, base.kind) == (values.MICRO_COPIED, "micro")
    is_other = row.kind == "micro" and base.platform != row.platform
    return (is_copied or is_other) and _grid(row) == _grid(base)


def _grid(row: Row) -> tuple[object, ...]:
    return row.sizes, row.placement, row.route, row.tls


SUMMARY = Summary(raw="tallies", read=_read, compared_by=(swap.REQUESTS,), is_held_against=_is_held_against)
