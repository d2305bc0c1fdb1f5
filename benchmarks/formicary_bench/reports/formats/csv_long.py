"""A run as comma-separated values in long form: one figure of one repetition in each line."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from formicary.core.quoting import cell_text
from formicary_bench.results.long import lines

if TYPE_CHECKING:
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document

COLUMNS = (
    *("run", "run_hash", "machine", "date", "version"),
    *(
        "experiment",
        "platform",
        "kind",
        "placement",
        "route",
        "tls",
        "hosts",
        "traffic",
        "spread",
        "profiled",
    ),
    *("parameters", "repetition", "seed", "metric", "unit", "value"),
)
"""The columns, the same in every file; parameters are a JSON object."""


def write(document: Document, stream: TextIO) -> None:
    """Write a line for each figure of each repetition, after the header."""
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    for line in lines(document.run, document.rows):
        writer.writerow(_cell(line[name]) for name in COLUMNS)


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value)
    return cell_text(value) if isinstance(value, str) else value
