"""A run in long form as a Parquet file, which pandas, polars and DuckDB read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.long import table

if TYPE_CHECKING:
    from typing import BinaryIO

    from formicary_bench.reports.document.sections import Document


def write(document: Document, stream: BinaryIO) -> None:
    """Write a line for each figure of each repetition."""
    import pyarrow.parquet as pq

    pq.write_table(table(document.run), stream)
