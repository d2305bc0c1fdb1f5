"""Where rows stand in their experiment: by what varies there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import declared
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.reports.document.figures import said
from formicary_bench.vocabulary.parameters.parameter import declared_by
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Talk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.parameters import Parameter


def point(row: Row, rows: Iterable[Row]) -> str:
    """Say where a row stands in its experiment: by all that varies there, or else by what it grows by.

    Where nothing is said to grow, it is the first of its sizes.
    """
    known = declared(row.experiment)
    own = _own(row)
    first = next((one for one in own if row.size(one.attribute)), None)
    main = (known and known.grows_by) or first
    return _varying(row, rows) or (said(main, row.size(main.attribute)) if main else "")


def named(row: Row, rows: Iterable[Row]) -> str:
    """Say which row of an experiment this is: its series, and what varies there, if anything does."""
    return ", ".join(filter(None, (label(row), _varying(row, rows))))


def _varying(row: Row, rows: Iterable[Row]) -> str:
    rows = list(rows)
    there = [one for one in rows if one.placement == row.placement]  # the label says the place
    varying = [
        said(one, row.size(one.attribute))
        for one in _own(row)
        if len({other.size(one.attribute) for other in rows}) > 1 and row.size(one.attribute) != one.absent
    ]
    varying += [f"{row.hosts} hosts"] if len({one.hosts for one in there}) > 1 else []
    return " / ".join(varying)


def _own(row: Row) -> list[Parameter]:
    """Return the parameters of which labels say nothing."""
    known = declared(row.experiment)
    every = known.own if known else declared_by(Talk)
    return [one for one in every if not one.in_label and one.attribute != ROUNDS.attribute]


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Return rows in the order of tables: series by series."""
    return [row for members in by_series(rows).values() for row in members]
