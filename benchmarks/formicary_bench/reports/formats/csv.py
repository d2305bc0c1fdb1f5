"""A run as comma-separated values (RFC 4180): a line for each configuration, or for each raw value.

Every run has the same columns: those of `results.row.Row`, in its order, and in the place of a field with
parts one for each of them (`memory.uss.mean`). What does not apply, or is not known, is empty.
"""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import msgspec

from formicary.core.quoting import cell_text
from formicary_bench.results.store.raw import AnyRaw, Creations, Holdings, RoundTrips, Tallies, Trials
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from formicary_bench.reports.document.sections import Document

_BOUNDS = tuple[float, float]
_AT_ONCE = 100_000  # lines


def write(document: Document, stream: TextIO) -> None:
    """Write a line for each row, below one with the columns' names."""
    writer = csv.writer(stream)
    writer.writerow(_names(Row))
    for row in document.rows:
        writer.writerow(_cells(Row, row))


def write_raw(document: Document, stream: TextIO) -> None:
    """Write a line for each raw value of a run, with the configuration and repetition that it is of.

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
        data = run.raw(repetition, _KINDS[summary_of(configuration.experiment, configuration.agents).raw])
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


def _names(kind: type[msgspec.Struct]) -> list[str]:
    """Return the columns of a structure: those of its parts in the place of a field with parts."""
    found = []
    for field in msgspec.structs.fields(kind):
        one = _plain(field.type)
        if one == _BOUNDS:
            found += [f"{field.name}_low", f"{field.name}_high"]
        elif _has_parts(one):
            found += [f"{field.name}.{name}" for name in _names(one)]
        else:
            found.append(field.name)
    return found


def _cells(kind: type[msgspec.Struct], value: msgspec.Struct | None) -> Iterator[Any]:
    """Return the cells of a structure, in the order of `_names`; empty ones where there is none."""
    for field in msgspec.structs.fields(kind):
        one, part = _plain(field.type), None if value is None else getattr(value, field.name)
        if one == _BOUNDS:
            yield from part or ("", "")
        elif _has_parts(one):
            yield from _cells(one, part)
        else:
            yield _cell(part)


def _plain(kind: Any) -> Any:
    """Return a type without its None."""
    if get_origin(kind) not in {Union, UnionType}:
        return kind
    rest = [one for one in get_args(kind) if one is not NoneType]
    return rest[0] if len(rest) == 1 else kind


def _has_parts(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _cell(value: Any) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return cell_text(value)
    if isinstance(value, tuple) and all(isinstance(one, str) for one in value):
        return cell_text("; ".join(value))
    return json.dumps(msgspec.to_builtins(value))
