"""Fits tables to a page or a terminal: breaks texts into lines, columns into tables, lines into pages.

LaTeX knows the width of a table too late to break it, and a terminal omits what does not fit. So letters are
counted here.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.reports.document.tables import Column

_WIDE = 96
"""Letters per line of an article, in the size of an index."""

_HIGH = 42
"""Lines of a page, below the caption and the titles."""

_GAP = 2  # letters between two columns of a page
_NARROW, _TITLE = 12, 10  # letters: texts and titles are not broken to less
_BROKEN = 26  # letters of a text where the columns are too many for one table anyway
_TEXT = 16  # letters from which on a cell is a text and no figure, and may be broken
_MOST_KEYS = 4

Cell = tuple[str, ...]
"""The lines of a cell, at least one."""


@dataclass(frozen=True)
class ColumnGroup:
    """Columns that fit side by side, with their widths in letters."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]


@dataclass(frozen=True)
class Page:
    """A part of a table that fits a page: which columns are names, their titles, and its rows."""

    names: tuple[bool, ...]
    titles: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


def pages(columns: Sequence[Column]) -> Iterator[Page]:
    """Lay out a table for paper on as few pages as possible, each with the columns that identify its lines.

    Args:
        columns: The columns of the table, at least one.
    """
    for part in side_by_side(columns, _WIDE, _GAP):
        sized = list(zip(part.columns, part.widths, strict=True))
        titles = tuple(_lines(column.title, width) for column, width in sized)
        cells = [[_lines(cell, width) for cell in column.cells] for column, width in sized]
        for rows in _one_below_the_other(list(zip(*cells, strict=True))):
            yield Page(tuple(column.names for column in part.columns), titles, rows)


def side_by_side(columns: Sequence[Column], wide: int, gap: int) -> Iterator[ColumnGroup]:
    """Return the columns of a table in parts that fit, each beginning with those that identify its lines.

    Args:
        columns: The columns of the table, at least one.
        wide: The letters that fit side by side.
        gap: The letters between two columns.
    """
    widths = _widths(columns, wide, gap)
    keys = list(range(_keys(columns)))
    places = list(keys)
    for place in range(len(keys), len(columns)):
        is_full = sum(widths[one] + gap for one in [*places, place]) > wide
        if is_full and len(places) > len(keys):
            yield _part(columns, widths, places)
            places = list(keys)
        places.append(place)
    yield _part(columns, widths, places)


def _part(columns: Sequence[Column], widths: Sequence[int], places: Sequence[int]) -> ColumnGroup:
    return ColumnGroup(tuple(columns[place] for place in places), tuple(widths[place] for place in places))


def _widths(columns: Sequence[Column], wide: int, gap: int) -> list[int]:
    """Return the width of each column, in letters; texts are broken no further than needed."""
    whole = [max(map(len, (column.title, *column.cells))) or 1 for column in columns]
    wide -= gap * len(columns)
    if sum(whole) <= wide:
        return whole
    whole = [_widest(column) for column in columns]
    texts = [place for place, column in enumerate(columns) if _may_be_broken(column)]
    widths = list(whole)
    while sum(widths) > wide:
        loose = [place for place in texts if widths[place] > _narrowest(columns[place])]
        widest = max(loose, key=lambda place: widths[place], default=None)
        if widest is None:
            return [min(size, _BROKEN) if place in texts else size for place, size in enumerate(whole)]
        widths[widest] -= 1
    return widths


def _widest(column: Column) -> int:
    """Return the width of a column with only its title broken, between words."""
    title = wrap(column.title, _TITLE, break_long_words=False, break_on_hyphens=False)
    return max(1, *map(len, (*title, *column.cells)))


def _narrowest(column: Column) -> int:
    """Return the width below which a column of texts is not broken: words stay whole, unless very long."""
    words = " ".join((column.title, *column.cells)).split()
    return max([_NARROW, *(len(word) for word in words if len(word) <= _BROKEN)])


def _may_be_broken(column: Column) -> bool:
    return column.names or any(len(cell) > _TEXT for cell in column.cells)


def _keys(columns: Sequence[Column]) -> int:
    """Return how many of the first columns identify the lines of a table."""
    most = min(_MOST_KEYS, len(columns))
    for many in range(1, most + 1):
        lines = list(zip(*(column.cells for column in columns[:many]), strict=True))
        if len(set(lines)) == len(lines):
            return many
    return most


def _one_below_the_other(rows: Sequence[tuple[Cell, ...]]) -> Iterator[tuple[tuple[Cell, ...], ...]]:
    """Return the rows of each page; a table without rows has a page as well."""
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
