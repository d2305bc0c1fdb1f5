"""How a table is made to fit a page of paper: texts in lines, columns in several tables, lines on pages.

LaTeX finds out how wide a table is when it is too late to break it. So letters are counted here, and what is
left of a mistake is for LaTeX to make up by a smaller size.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.reports.tables import Column

_WIDE = 96
"""How many letters are side by side in the usual text of an article, in the size of an index."""

_HIGH = 42
"""How many lines are on a page, below the caption and the titles."""

_GAP = 2  # letters between two columns
_NARROW, _TITLE = 12, 10  # letters: texts and titles are not made narrower
_BROKEN = 26  # letters of a text where the columns are too many for one table anyway
_TEXT = 16  # letters from which on a cell is a text and no figure, and may be broken
_MOST_KEYS = 4

Cell = tuple[str, ...]
"""The lines of a cell, of which there is one at least."""


@dataclass(frozen=True)
class Page:
    """A part of a table that fits a page: which columns are names, their titles, and its rows."""

    names: tuple[bool, ...]
    titles: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


def pages(columns: Sequence[Column]) -> Iterator[Page]:
    """Lay out a table: as few parts as may be, of which each repeats what its lines are about.

    Args:
        columns: The columns of the table, of which there is one at least.
    """
    widths = _widths(columns)
    for places in _side_by_side(columns, widths):
        names = tuple(columns[place].names for place in places)
        titles = tuple(_lines(columns[place].title, max(widths[place], _TITLE)) for place in places)
        cells = [[_lines(cell, widths[place]) for cell in columns[place].cells] for place in places]
        for rows in _one_below_the_other(list(zip(*cells, strict=True))):
            yield Page(names, titles, rows)


def _widths(columns: Sequence[Column]) -> list[int]:
    """Give the width of each column, in letters: texts are broken, but no further than is of use."""
    whole = [_widest(column) for column in columns]
    texts = [place for place, column in enumerate(columns) if _may_be_broken(column)]
    widths = list(whole)
    while sum(widths) + _GAP * len(widths) > _WIDE:
        widest = max(texts, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= _NARROW:
            return [min(wide, _BROKEN) if place in texts else wide for place, wide in enumerate(whole)]
        widths[widest] -= 1
    return widths


def _widest(column: Column) -> int:
    title = max(map(len, _lines(column.title, _TITLE)))
    return max(title, *map(len, column.cells), 1)


def _may_be_broken(column: Column) -> bool:
    return column.names or any(len(cell) > _TEXT for cell in column.cells)


def _side_by_side(columns: Sequence[Column], widths: Sequence[int]) -> Iterator[list[int]]:
    """Give the places of the columns of each part."""
    keys = list(range(_keys(columns)))
    part = list(keys)
    for place in range(len(keys), len(columns)):
        is_full = sum(widths[one] + _GAP for one in [*part, place]) > _WIDE
        if is_full and len(part) > len(keys):
            yield part
            part = list(keys)
        part.append(place)
    yield part


def _keys(columns: Sequence[Column]) -> int:
    """Say by how many of its first columns the lines of a table can be told apart."""
    most = min(_MOST_KEYS, len(columns))
    for many in range(1, most + 1):
        lines = list(zip(*(column.cells for column in columns[:many]), strict=True))
        if len(set(lines)) == len(lines):
            return many
    return most


def _one_below_the_other(rows: Sequence[tuple[Cell, ...]]) -> Iterator[tuple[tuple[Cell, ...], ...]]:
    """Give the rows of each page; a table without rows has a page, too."""
    page: list[tuple[Cell, ...]] = []
    high = 0
    for row in rows:
        lines = max(map(len, row))
        if page and high + lines > _HIGH:
            yield tuple(page)
            page, high = [], 0
        page.append(row)
        high += lines
    yield tuple(page)


def _lines(text: str, width: int) -> Cell:
    return tuple(wrap(text, width, break_on_hyphens=False)) or ("",)
