"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from formicary.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

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
    rows = list(rows)
    if sys.stdout.isatty() and len(rows) <= _FITTED:
        from rich.console import Console

        Console().print(fitted(columns, rows))
    else:
        _show_lines(columns, rows)


def fitted(columns: Sequence[str], rows: Iterable[Sequence[str]], header_style: str = "") -> Table:
    """Return a table that fits itself to a terminal; columns as of `show_table`."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style=header_style)
    for column in columns:
        is_number = column.startswith("#")
        table.add_column(column.removeprefix("#"), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(text)) for text in row))
    return table


def _show_lines(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.cells import cell_len

    headings = [column.removeprefix("#") for column in columns]
    lines = [headings, *([printable(text) for text in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    printed = []
    for line in lines:
        padded = []
        for text, width, column in zip(line, widths, columns, strict=True):
            space = " " * (width - cell_len(text))
            padded.append(space + text if column.startswith("#") else text + space)
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
