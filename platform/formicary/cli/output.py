"""Output of commands: tables and sentences for people, JSON for programs.

All output goes through this module, so text from other processes, such as names and reasons, can never
control the terminal, start a line of its own, or act as markup.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from formicary.core.quoting import paragraph, printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.table import Table

    from formicary.management.descriptions import Missing

_FITTED = 1000  # rows: fitting more would take seconds


def say(text: object = "", *, mark: str = "", err: bool = False) -> None:
    """Print one line.

    Args:
        text: any text, also an untrusted one.
        mark: a word in front of it, which may have a style.
        err: whether to print to standard error.
    """
    _echo(f"{mark} {printable(str(text))}" if mark else printable(str(text)), err=err)


def complain(error: object) -> None:
    """Print an error, of one or several lines, to standard error."""
    _echo(f"formicary: {paragraph(str(error))}", err=True)


def _echo(text: str, *, err: bool = False) -> None:
    # Otherwise Typer would write UTF-8 even to an ASCII terminal.
    typer.echo(text, file=sys.stderr if err else sys.stdout)


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file, or leave it as it was; UsageError if it cannot be written."""
    from formicary.core.errors import UsageError
    from formicary.core.files import output_file

    try:
        with output_file(path) as part:
            part.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another file") from error


def show_json(content: Any) -> None:
    """Print one line of JSON."""
    import msgspec

    _echo(printable_json(msgspec.json.encode(content).decode()))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, fitted to a terminal; elsewhere, one line per row.

    Args:
        columns: the headings; `#` marks columns of numbers, aligned to the right.
        rows: the rows' texts.
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
    _echo("\n".join(printed))  # at once, since each call flushes


def say_missing(missing: Sequence[Missing]) -> None:
    """Print which containers could not be reached."""
    for each in missing:
        say(f"formicary: {each.domain} could not be reached: {each.reason}", err=True)


def report_missing(missing: Sequence[Missing]) -> None:
    """Print which containers could not be reached, and exit with a failure.

    Raises:
        Exit: with exit code 1, if there are any.
    """
    say_missing(missing)
    if missing:
        raise typer.Exit(1)
