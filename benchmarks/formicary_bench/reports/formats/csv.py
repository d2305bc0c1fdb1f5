"""A run as comma-separated values (RFC 4180): a line for each configuration, or for each raw value.

Its columns are the fields of `results.summary.row.Row`, in order; a field with parts has a column for each of
them (`figures.total_s.mean`, `parameters.pairs`). What does not apply, or is unknown, is empty.
"""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.core.quoting import cell_text
from formicary_bench.results.store.raw import AnyRaw, Creations, Holdings, RoundTrips, Tallies, Trials
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document

_AT_ONCE = 100_000  # lines


def write(document: Document, stream: TextIO) -> None:
    """Write a line for each row, after the header."""
    rows = [msgspec.to_builtins(row) for row in document.rows]
    lines = [dict(_flat(row)) for row in rows]
    writer = csv.DictWriter(stream, _names(lines), restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(lines)


def write_raw(document: Document, stream: TextIO) -> None:
    """Write a line for each raw value of a run, with its configuration and repetition.

    Columns that only other experiments have are empty. One repetition at a time is in memory.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    run = document.run
    known = {configuration.key: configuration for configuration in run.manifest.configurations}
    columns = tuple(dict.fromkeys(field.name for kind in _KINDS.values() for field in fields(kind)))
    writer = csv.writer(stream)
    writer.writerow(("configuration", "repetition", *columns))
    for repetition in run.manifest.repetitions:
        configuration = known.get(repetition.configuration)
        if configuration is None:
            continue
        data = run.raw(repetition, _KINDS[summary_of(configuration.experiment).raw])
        present = {field.name: getattr(data, field.name) for field in fields(data)}
        about = cell_text(repetition.configuration), repetition.number
        many = len(next(iter(present.values())))
        for begin in range(0, many, _AT_ONCE):
            part = slice(begin, min(begin + _AT_ONCE, many))
            length = part.stop - part.start
            cells = [present[name][part].tolist() if name in present else [""] * length for name in columns]
            writer.writerows((*about, *line) for line in zip(*cells, strict=True))


_KINDS: dict[str, type[AnyRaw]] = {
    "messages": RoundTrips,
    "create": Creations,
    "memory": Holdings,
    "search": Trials,
    "tallies": Tallies,
}


def _names(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns of lines; a field with parts in any line has a column for each."""
    order = [field.name for field in msgspec.structs.fields(Row)]
    found = dict.fromkeys((*order, *(name for line in lines for name in line)))
    names = [name for name in found if not any(other.startswith(f"{name}.") for other in found)]
    return sorted(names, key=lambda name: order.index(name.partition(".")[0]))


def _flat(value: dict[str, Any], before: str = "") -> Iterator[tuple[str, str | int | float]]:
    """Yield the cells of a row by column; a value with parts has a cell for each."""
    for name, part in value.items():
        if name == "ci95":
            low, high = part or ("", "")
            yield f"{before}low", low
            yield f"{before}high", high
        elif isinstance(part, dict):
            yield from _flat(part, f"{before}{cell_text(name)}.")
        else:
            yield f"{before}{cell_text(name)}", _cell(part)


def _cell(value: Any) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return cell_text(value)
    if all(isinstance(one, str) for one in value):
        return cell_text("; ".join(value))
    return json.dumps(value)
