"""The results of a run on one screen of a terminal."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from formicary.core.quoting import printable
from formicary_bench.reports.document.overview import blocks, briefly, hints, legend

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from formicary_bench.reports.document.overview import Block
    from formicary_bench.reports.document.sections import Document
    from formicary_bench.results.store.model import Manifest

MOST = 28
"""The most lines, without those about the report's file."""

_LEAST_WHO = 16  # letters of a name, where there is little room
_HINT = 3  # lines of a hint at most
_GAP = 2
_BAR, _LEAST_BAR = 24, 8
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MINUTE = 60


def show(document: Document, console: Console) -> None:
    """Print the results of a run."""
    wide, found = console.width - 1, blocks(document)
    head = _head(document, wide)
    last = [line for hint in hints(document) for line in _hint(hint, wide)]
    room = MOST - len(head) - len(last) - (1 if last else 0)
    body, after = _lines(found, wide), _after(document, wide)
    body = [*body, *after] if len(body) + len(after) <= room else _fitting(found, wide, room)
    for line in (*head, *body):
        console.print(Text(printable(line)), soft_wrap=True)
    for line in ([""] if last else []) + last:
        console.print(Text(printable(line), style="yellow"), soft_wrap=True)


def _head(document: Document, wide: int) -> list[str]:
    """Return what was measured, how often and how long, and how trustworthy it is."""
    manifest, trust = document.run.manifest, document.trust
    what = " · ".join(filter(None, (str(manifest.options.get("experiment", "")), *_much(manifest))))
    known = f"trust: {trust.level[0].lower()}{trust.level[1:]}"
    together = f"{what}{known:>{max(wide - len(what), len(known) + 2)}}"
    return [together, ""] if len(together) <= wide else [*wrap(what, wide), known, ""]


def _much(manifest: Manifest) -> Iterator[str]:
    many = sum(not one.reference for one in manifest.configurations)
    often = f" × {manifest.repeats[0]}" if len(set(manifest.repeats)) == 1 else ""
    yield f"{many} configuration{'' if many == 1 else 's'}{often}"
    if manifest.finished:
        minutes, seconds = divmod(round((manifest.finished - manifest.started).total_seconds()), _MINUTE)
        yield f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _after(document: Document, wide: int) -> list[str]:
    """Return what a server adds, and the meanings of names in the tables."""
    names = [f"{name}: {about}" for name, about in legend(document.shown)]
    paragraphs = [document.server, f"{'; '.join(names)}." if names else ""]
    return [line for text in paragraphs if text for line in ("", *wrap(text, wide, break_on_hyphens=False))]


def _hint(hint: str, wide: int) -> list[str]:
    return wrap(
        f"! {hint}",
        wide,
        subsequent_indent="  ",
        break_on_hyphens=False,
        max_lines=_HINT,
        placeholder=" ...",
    )


def _fitting(found: Sequence[Block], wide: int, most: int) -> list[str]:
    """Return the lines of blocks; where they are too many, the first of each."""
    lines = _lines(found, wide)
    if len(lines) > most and len(found) > 1:
        lines = _lines([briefly(found)], wide)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"... and {len(lines) - most + 1} more lines"]


def _lines(found: Sequence[Block], wide: int) -> list[str]:
    """Return all blocks as lines, in the same columns: a name, figures, a verdict, and a bar."""
    many = max((len(block.headings) for block in found), default=1) - 1
    tables = [
        [
            _cells(many, block.title, block.headings[:-1], block.headings[-1]),
            *(_cells(many, f"  {line.who}", line.figures, line.verdict) for line in block.lines),
        ]
        for block in found
    ]
    widths = [max(map(len, column)) for column in zip(*(row for rows in tables for row in rows), strict=True)]
    others = sum(width + _GAP for width in widths[1:])
    widths[:1] = [min(width, max(wide - others, _LEAST_WHO)) for width in widths[:1]]
    room = min(wide - sum(widths[:1]) - others - _GAP, _BAR)
    said: list[str] = []
    for block, rows in zip(found, tables, strict=True):
        longest = max(line.value for line in block.lines) if room >= _LEAST_BAR else 0.0
        bars = ["", *(_bar(line.value / longest, room) if longest else "" for line in block.lines)]
        lines = [_joined(row, widths, bar) for row, bar in zip(rows, bars, strict=True)]
        said += [*([""] if said else []), *(line[:wide].rstrip() for line in lines)]
    return said


def _cells(many: int, who: str, figures: Sequence[str], verdict: str) -> tuple[str, ...]:
    return who, *figures, *[""] * (many - len(figures)), verdict


def _joined(row: Sequence[str], widths: Sequence[int], bar: str) -> str:
    """Return a row as a line: names and verdicts to the left of their columns, figures to the right."""
    (who, *figures, verdict), (first, *others, last) = row, widths
    name = who if len(who) <= first else f"{who[: first - 1]}…"
    cells = (figure.rjust(width) for figure, width in zip(figures, others, strict=True))
    return (" " * _GAP).join([name.ljust(first), *cells, verdict.ljust(last), bar])


def _bar(part: float, room: int) -> str:
    """Draw a part of the largest figure."""
    eighths = max(round(part * room * 8), 1)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
