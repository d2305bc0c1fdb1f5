"""One line of JSON per configuration, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

    from formicary_bench.results.summary.row import Row


def write(rows: Iterable[Row], stream: TextIO) -> None:
    """Write a line for each row; see `results.row.Row` for the keys."""
    stream.writelines(row.to_json_line() + "\n" for row in rows)
