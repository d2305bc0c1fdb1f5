"""Rows of an experiment that are shown together, and names for their points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from formicary_bench.experiments.registry import declared
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.reports.document.figures import said
from formicary_bench.vocabulary.parameters.parameter import declared_by
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Talk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.results.summary.row import Row, Tail
    from formicary_bench.vocabulary.parameters import Parameter


def point(row: Row, rows: Iterable[Row]) -> str:
    """Return a row's point: the sizes that vary, or else the one that grows, or else the first."""
    known = declared(row.experiment)
    own = _own(row)
    first = next((one for one in own if row.size(one.attribute)), None)
    main = (known and known.grows_by) or first
    return _varying(row, rows) or (said(main, row.size(main.attribute)) if main else "")


def named(row: Row, rows: Iterable[Row]) -> str:
    """Return the name of a row in its experiment: its series, and the sizes that vary, if any."""
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
    """Return the parameters that labels do not have."""
    known = declared(row.experiment)
    every = known.own if known else declared_by(Talk)
    return [one for one in every if not one.in_label and one.attribute != ROUNDS.attribute]


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Return rows in the order of tables: series by series."""
    return [row for members in by_series(rows).values() for row in members]


class Findings(tuple["Row", ...]):  # noqa: SLOT001 - a tuple takes no slots
    """Rows of one experiment, with what else of their run they are shown with.

    Args:
        rows: The rows.
        run: All rows of the run, for comparisons with another experiment's; these alone if empty.
        tails: The distributions of the rows.
    """

    run: Sequence[Row]
    tails: Mapping[Row, Tail]

    def __new__(
        cls, rows: Iterable[Row], run: Sequence[Row] = (), tails: Mapping[Row, Tail] | None = None
    ) -> Self:
        """Keep what belongs to the rows with them."""
        found = super().__new__(cls, rows)
        found.run, found.tails = run or tuple(found), tails or {}
        return found


def run_of(rows: Sequence[Row]) -> Sequence[Row]:
    """Return all rows of the run that some belong to, as far as known."""
    return rows.run if isinstance(rows, Findings) else rows
