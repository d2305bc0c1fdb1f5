"""The rows of an experiment that are shown together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.results.summary.row import Row, Tail


class Findings(tuple["Row", ...]):  # noqa: SLOT001 - a tuple takes no slots
    """Rows of one experiment, and what else of their run they are shown with.

    Args:
        rows: The rows.
        run: All rows of the run, where they are held against another experiment's; these alone if empty.
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
    """Return all rows of the run that some are of, as far as they are known."""
    return rows.run if isinstance(rows, Findings) else rows
