"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from formicary.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary.management.descriptions import Missing

_FITTED = 1000  # rows: to fit more would take seconds, and nobody reads them on a terminal


def show_json(content: Any) -> None:
    """Print one line of JSON."""
    import msgspec

    typer.echo(msgspec.json.encode(content).decode())


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: fitted to a terminal, and elsewhere one line for each row.

    Args:
        columns: their headings; those that begin with `#` are numbers, and stand on the right.
        rows: their texts.
    """
    cells = [[printable(text) for text in row] for row in rows]
    headings = [column.removeprefix("#") for column in columns]
    are_numbers = [column.startswith("#") for column in columns]
    if sys.stdout.isatty() and len(cells) <= _FITTED:
        _show_fitted(headings, are_numbers, cells)
    else:
        _show_lines(headings, are_numbers, cells)


def _show_fitted(headings: list[str], are_numbers: list[bool], cells: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="")
    for heading, is_number in zip(headings, are_numbers, strict=True):
        table.add_column(heading, justify="right" if is_number else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console().print(table)


def _show_lines(headings: list[str], are_numbers: list[bool], cells: list[list[str]]) -> None:
    from rich.cells import cell_len

    lines = [headings, *cells]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    printed = []
    for line in lines:
        padded = []
        for text, width, is_number in zip(line, widths, are_numbers, strict=True):
            space = " " * (width - cell_len(text))
            padded.append(space + text if is_number else text + space)
        printed.append("  ".join(padded).rstrip())
    typer.echo("\n".join(printed))  # at once: each call of it writes out what there is


def report_missing(missing: Sequence[Missing]) -> None:
    """Say which containers could not be asked; it is a failure, after all the rest was printed.

    Raises:
        Exit: with exit code 1, if there are any.
    """
    for each in missing:
        typer.echo(
            f"formicary: {printable(each.domain)} could not be asked: {printable(each.reason)}", err=True
        )
    if missing:
        raise typer.Exit(1)
