"""Texts that know which rows their figures are of, so that a reader can ask what is behind each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.results.summary.row import Row


class Citation(NamedTuple):
    """From where to where in a text a figure stands, and the anchors of the rows that it is of."""

    begin: int
    end: int
    of: str


class Cited(str):
    """A text in which some figures are of rows. To whom that does not matter it is a text."""

    __slots__ = ("citations",)

    citations: tuple[Citation, ...]

    def __new__(cls, text: str, citations: Iterable[Citation] = ()) -> Self:
        """Keep with a text what its figures are of."""
        found = super().__new__(cls, text)
        found.citations = tuple(citations)
        return found


def anchors(*rows: Row) -> str:
    """Return the anchors of rows as one word for links: with spaces between them."""
    return " ".join(dict.fromkeys(row.anchor for row in rows))


def cite(text: str, *rows: Row) -> Cited:
    """Return a figure as it is written, and the rows that it is of."""
    return cite_anchors(text, anchors(*rows))


def cite_anchors(text: str, of: str) -> Cited:
    """Do the same of rows of which the anchors are known; none are if it is empty."""
    return Cited(text, [Citation(0, len(text), of)] if of else [])


def told(*parts: str) -> Cited:
    """Return parts as one text that cites what they cite."""
    citations, length = [], 0
    for part in parts:
        known = part.citations if isinstance(part, Cited) else ()
        citations += [Citation(length + one.begin, length + one.end, one.of) for one in known]
        length += len(part)
    return Cited("".join(parts), citations)


def joined(separator: str, parts: Iterable[str]) -> Cited:
    """Return parts with a separator between each two of them, as one text that cites what they cite."""
    between = [word for part in parts for word in (separator, part)]
    return told(*between[1:])


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Cut a text at its figures, and say of each piece which rows it is of; empty where of none."""
    end = 0
    for one in text.citations if isinstance(text, Cited) else ():
        yield text[end : one.begin], ""
        yield text[one.begin : one.end], one.of
        end = one.end
    yield text[end:], ""
