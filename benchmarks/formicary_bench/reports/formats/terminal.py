"""A run in the terminal: a table per experiment, and its meaning in words."""

from __future__ import annotations

import os
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from formicary_bench.reports.document.claims import TITLE, claims_said
from formicary_bench.reports.document.tables import UNEVEN, Column, Extra
from formicary_bench.reports.formats.fitting import side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document, Section
    from formicary_bench.reports.formats.fitting import ColumnGroup
    from formicary_bench.results.store.model import Manifest

_INDENT = (0, 0, 0, 2)
_GAP = 3  # letters between two columns
_WIDE = 132  # where no terminal says how wide it is (a file, a pipe), lines may be as long as they need


def console_for_reports(stream: TextIO | None = None) -> Console:
    """Return a console that shows whole tables if neither a terminal nor COLUMNS sets a width.

    It respects NO_COLOR, and interprets no markup.

    Args:
        stream: The output; None for standard output.
    """
    console = Console(highlight=False, markup=False, file=stream)
    if console.is_terminal or os.environ.get("COLUMNS", "").isdigit():
        return console
    return Console(highlight=False, markup=False, file=stream, width=_WIDE)


def broken(text: str, indent: int) -> list[str]:
    """Wrap a text to the width of the terminal or COLUMNS; if neither is known, return it unchanged.

    Nothing is cut off: longer words continue on the next line.
    """
    console = Console()
    if not (console.is_terminal or os.environ.get("COLUMNS", "").isdigit()):
        return [" " * indent + text]
    before, after = " " * indent, " " * (indent + 2)
    wide = max(console.width - 1, 4 * indent, 20)
    return wrap(text, wide, initial_indent=before, subsequent_indent=after, break_on_hyphens=False)


def write(document: Document, stream: TextIO) -> None:
    """Write a run as tables and sentences."""
    show(document, console_for_reports(stream))


def show(document: Document, console: Console | None = None) -> None:
    """Print a run.

    Args:
        document: The content of its report.
        console: The console; None for standard output.
    """
    console = console or console_for_reports()
    manifest = document.run.manifest
    sections = document.sections
    trust = document.trust
    console.print(_plain(trust.sentence, "bold green" if trust.is_good else "bold yellow"))
    if not manifest.complete:
        console.print(_plain(partial(manifest), "bold yellow"))
    if manifest.left_out:
        console.print(_plain(f"! {manifest.left_out}", "yellow"))
    for section in sections:
        _show_section(section, console)
    console.print()
    console.print(_plain(f"Hash of the run: {document.hash}"))
    if said := claims_said(document.cards):
        console.print()
        console.print(_plain(TITLE, "bold"))
        for sentence in said:
            console.print(Padding(_plain(sentence), _INDENT))


def _show_section(section: Section, console: Console) -> None:
    console.print()
    _print(section.heading, section.columns, console)
    for sentence in section.sentences:
        console.print(Padding(_plain(sentence), _INDENT))
    for remark in section.remarks:
        console.print(Padding(_plain(f"! {remark}", "yellow"), _INDENT))
    for extra in section.extras:
        if not extra.minor:
            show_extra(extra, console)


def show_extra(extra: Extra, console: Console) -> None:
    """Print a table, and what a reader should know about it."""
    console.print()
    _print(extra.title, extra.columns, console)
    if extra.remark:
        console.print(Padding(_plain(extra.remark), _INDENT))


def partial(manifest: Manifest) -> str:
    """Return that a run is partial, and how much of it was measured."""
    planned = {one.key for one in manifest.configurations if not one.reference}
    measured = planned & {repetition.configuration for repetition in manifest.repetitions}
    return (
        "This run is partial: it was interrupted, part of it failed, or it is still running. "
        f"{len(measured)} of {len(planned)} configurations have been measured at least once{_by(manifest)}."
    )


def left_out(manifest: Manifest) -> str:
    """Return what was not measured, behind a title that says "left out" already."""
    name = manifest.left_out.removeprefix("left out: ")
    return name if name != manifest.left_out else name[:1].upper() + name[1:]


def _by(manifest: Manifest) -> str:
    """Return how many of the planned measurements exist, if the manifest has their number."""
    if not manifest.repeats:
        return ""
    return f", by {len(manifest.repetitions)} of {sum(manifest.repeats)} measurements"


def _print(name: str, all_columns: Sequence[Column], console: Console) -> None:
    """Print a table; as several if it is too wide, as a terminal would omit what does not fit."""
    shown = [column for column in all_columns if not column.minor]
    for number, part in enumerate(side_by_side(shown, console.width - 1, _GAP)):
        console.print(_plain(f"{name} (continued)" if number else name, "bold"))
        console.print(_table(part))


def _table(part: ColumnGroup) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1),
        pad_edge=False,
    )
    for column, width in zip(part.columns, part.widths, strict=True):
        justify: Literal["left", "right"] = "left" if column.names else "right"
        table.add_column(column.title, justify=justify, overflow="fold", min_width=width, max_width=width)
    last = ""
    for who, *cells in zip(*(column.cells for column in part.columns), strict=True):
        # A name once per group: the eye finds where the next one begins.
        table.add_row(_plain("" if who == last else who), *(_cell(cell) for cell in cells))
        last = who
    return table


def _cell(word: str) -> Text:
    return _plain(word, "yellow" if word == UNEVEN else "")


def _plain(text: str, style: str = "") -> Text:
    """Return text verbatim: run folders come from others, and their names must not control the terminal."""
    return Text("".join(letter if letter.isprintable() else "�" for letter in text), style=style)
