"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary.management.descriptions import Missing

_WIDEST = 100_000  # characters of a line, where no terminal says otherwise


def show_json(content: Any) -> None:
    """Print one line of JSON."""
    import msgspec

    typer.echo(msgspec.json.encode(content).decode())


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: fitted to a terminal, and elsewhere in plain text, one line for each row.

    Args:
        columns: their headings; those that begin with `#` are numbers, and stand on the right.
        rows: their texts.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for column in columns:
        is_number = column.startswith("#")
        table.add_column(column.removeprefix("#"), justify="right" if is_number else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(text)) for text in row))
    if sys.stdout.isatty():
        Console().print(table)
        return
    console = Console(width=_WIDEST, force_terminal=False, color_system=None)
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        typer.echo(line.rstrip())


def printable(text: str) -> str:
    """Return a text without anything that would do something to a terminal."""
    return text if text.isprintable() else repr(text)[1:-1]


def tell_missing(missing: Sequence[Missing]) -> None:
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
