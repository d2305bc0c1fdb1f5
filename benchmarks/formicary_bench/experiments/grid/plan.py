"""Over how many containers a grid can be, and how long its swaps take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.grid.swap import Swapping
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary.places import APART, SAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration

_CREATED = 25_000  # agents per second
# Requests to swap per second.
_REQUESTED, _REQUESTED_OURS, _REQUESTED_APART = {"callbacks": 1_500_000}, 350_000, 60_000


def in_containers(draft: Draft) -> Iterator[Draft]:
    """Give a grid that is in one container, or over several in processes of their own.

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
    """Return how long a repetition takes: all make nearly as many swaps as the first one, or are refused."""
    sizes = Swapping.of(one)
    rate = _REQUESTED_APART if sizes.containers > 1 else _REQUESTED.get(one.platform, _REQUESTED_OURS)
    return DefaultDuration(begin, sizes.cells / _CREATED + sizes.cells * sizes.swaps / rate)
