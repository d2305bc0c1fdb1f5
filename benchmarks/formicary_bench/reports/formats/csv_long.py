"""A run as comma-separated values in long form: one figure of one repetition in each line.

Each line has the run, the machine, the date and the version beside it, so that files of several runs, such as
those of a class, can be put together as they are.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from formicary.core.quoting import cell_text
from formicary_bench.results.summary.each import samples_of
from formicary_bench.results.summary.row import frame

if TYPE_CHECKING:
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document

_ROW = (
    *("experiment", "platform", "kind", "placement", "route", "tls", "pairs", "senders", "payload_bytes"),
    *(
        "agents",
        "services",
        "containers",
        "hosts",
        "traffic",
        "spread",
        "rate",
        "arrivals",
        "loop",
        "way",
        "echoes",
        "cores",
        "profiled",
    ),
)
COLUMNS = ("run_hash", "machine", "date", "version", *_ROW, "repetition", "seed", "figure", "value")
"""The columns, the same in every file."""


def write(document: Document, stream: TextIO) -> None:
    """Write a line for each figure of each repetition, below one with the columns' names."""
    run, manifest = document.run, document.run.manifest
    known = {row.anchor: row for row in document.rows}
    about = document.hash, cell_text(manifest.machine.host), manifest.started.date().isoformat()
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    for configuration in run.manifest.configurations:
        repetitions = manifest.repetitions_of(configuration)
        row = known.get(frame(configuration, repetitions).anchor) if repetitions else None
        if row is None or configuration.reference:
            continue
        valid = [one for one in repetitions if not one.invalid] or repetitions
        if len(row.each) != len(valid):  # a repetition in which nothing was measured has no figures
            continue
        cells = [cell_text(str(getattr(row, name))) for name in _ROW]
        for one, each in zip(valid, row.each, strict=True):
            for figure, (value,) in samples_of([each]).items():
                line = *about, cell_text(manifest.formicary), *cells, one.number, one.seed, figure, value
                writer.writerow(line)
