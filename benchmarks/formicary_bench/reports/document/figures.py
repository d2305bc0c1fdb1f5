"""Figures of repetitions as a reader sees them: how a value is written, and which one says most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.results.summary.each import CREATION, HIGHEST, P99, RATE, TIME, TOTAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SECONDS = "(s)"
_MICROSECONDS = "(µs)"
_MAIN = (HIGHEST, TOTAL, RATE, CREATION, P99, TIME)


def writer(figure: str) -> Callable[[float], str]:
    """Return how a value of a figure is written.

    Args:
        figure: Its name, as in `results.summary.each`.
    """
    if figure.endswith(_MICROSECONDS):
        return formatting.duration
    return _seconds if figure.endswith(_SECONDS) else formatting.per_second


def without_unit(figure: str) -> str:
    """Return what a figure is called beside values that have their units."""
    return figure.partition(" (")[0]


def main_figure(figures: Iterable[str]) -> str:
    """Return the figure that says most of a configuration; of those that are not known, the first."""
    known = list(figures)
    return next((one for one in _MAIN if one in known), known[0])


def _seconds(value: float) -> str:
    return formatting.duration(1e6 * value)
