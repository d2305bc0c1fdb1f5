"""Tables for pages: values that all lines share are shown once, and so are repeated names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.reports.document.sections import Section
    from formicary_bench.reports.document.tables import Column


_EMPTY = {"", formatting.NOTHING}


class Shown(msgspec.Struct, frozen=True):
    """A table as a page shows it.

    Attributes:
        columns: The columns whose cells differ, and the first one.
        same: The values of the others, as in `body 100 B, full load held`; empty without any.
        spans: The lines that each cell of the first column spans; 0 if the cell above includes it.
        key: The column whose cells show the evidence for their lines.
        of: The anchors of each line's rows; empty without any.
    """

    columns: Sequence[Column]
    same: str
    spans: Sequence[int]
    key: int
    of: Sequence[str]


def shown(columns: Sequence[Column]) -> Shown:
    """Return a table as a page shows it.

    Args:
        columns: All of its columns, at least one.
    """
    first, *rest = columns
    same = [one for one in rest if len(one.cells) > 1 and len(set(one.cells)) == 1]
    kept = [first, *(one for one in rest if one not in same)]
    said = ", ".join(f"{one.title} {one.cells[0]}".strip() for one in same if one.cells[0] not in _EMPTY)
    spans = _spans(first.cells)
    cited = next((one.of for one in columns if one.of), ())
    key = next((place for place, one in enumerate(kept) if all(one.cells) and (place or all(spans))), 0)
    return Shown(kept, said, spans, key, cited or ("",) * len(first.cells))


def is_among(columns: Sequence[Column], others: Sequence[Column]) -> bool:
    """Whether all of a table is in another one, in columns of the same names."""
    places, begin = [], 0
    titles = [one.title for one in others]
    for column in columns:
        if column.title not in titles[begin:]:
            return False
        begin = titles.index(column.title, begin) + 1
        places.append(begin - 1)
    known = set(zip(*(others[place].cells for place in places), strict=True))
    return known.issuperset(zip(*(one.cells for one in columns), strict=True))


def repeated(sections: Iterable[Section]) -> dict[str, str]:
    """Return the remarks that several tables share, to be shown once, by the title of the tables."""
    found: dict[tuple[str, str], int] = {}
    for section in sections:
        for extra in section.extras:
            if extra.remark:
                found[extra.title, extra.remark] = found.get((extra.title, extra.remark), 0) + 1
    return {title: remark for (title, remark), many in found.items() if many > 1}


def _spans(names: Sequence[str]) -> list[int]:
    """Return how many lines each name spans: equal names below each other are shown once."""
    spans: list[int] = []
    first = 0
    for place, name in enumerate(names):
        if place and name == names[place - 1]:
            spans[first] += 1
            spans.append(0)
        else:
            first = place
            spans.append(1)
    return spans
