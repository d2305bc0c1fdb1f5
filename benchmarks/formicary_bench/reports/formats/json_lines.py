"""One line of JSON per configuration, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document


def write(document: Document, stream: TextIO) -> None:
    """Write a line for each row; see `results.summary.row.Row` for the keys."""
    stream.writelines(row.to_json_line() + "\n" for row in document.rows)
