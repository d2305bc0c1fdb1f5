"""Reports on hosts: a table of what each did, and the rows that are not valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary.errors import UsageError
from formicary_bench.experiments.registry import metric_of
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.points import named, point
from formicary_bench.reports.document.tables import Column, Extra, who
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.cpu import judged
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.results.summary.each import samples_of
from formicary_bench.results.summary.row import Digest, frame
from formicary_bench.results.summary.warm_up import other_cuts
from formicary_bench.vocabulary.metrics import PER_SECOND
from formicary_bench.vocabulary.places import DOING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration


_REMARK = (
    "While all pairs were being measured. Wire figures are of the host's interface; messages between its own "
    "processes use loopback. Memory is what each process has to itself."
)


def voided(row: Row) -> Row:
    """Return a row for reports: without figures if they are not valid. JSON has both."""
    if not row.invalid:
        return row
    unsaid = dict.fromkeys(("each", "stability", "compared", "records"), ())
    methods = dict.fromkeys(("ci_method", "percentile_ci_method"), "none")
    about: dict[str, Any] = {"figures": {}, "warm_up": None, "cpu": None, "round_trips": 0, "full_load": None}
    return msgspec.structs.replace(row, **unsaid, **methods, **about)


def voided_digest(digest: Digest) -> Digest:
    """Return a digest as `voided` does a row."""
    return Digest(voided(digest.row), None) if digest.row.invalid else digest


def invalid_remarks(rows: Sequence[Row]) -> list[str]:
    """Return which rows are not valid, and why."""
    return [f"{named(row, rows)}: not valid: {'; '.join(row.invalid)}" for row in rows if row.invalid]


def host_tables(rows: Sequence[Row]) -> list[Extra]:
    """Show what each host did for each row that is valid, at the largest load."""
    most = max((row.exchange.load for row in rows if row.by_host), default=0)
    lines = [
        (row, host, one)
        for row in rows
        if row.exchange.load == most and not row.invalid
        for host in row.by_host
        for one in host.processes
    ]
    if not lines:
        return []
    columns = [
        who((row for row, _, _ in lines), name=_point),
        Column("host", tuple(host.name for _, host, _ in lines)),
        Column("CPU", tuple(f"{host.busy.mean:.0%}" for _, host, _ in lines)),
        Column("wire/s", tuple(formatting.size(host.wire_bytes_per_s.mean) for _, host, _ in lines)),
        Column("packets/s", tuple(formatting.count(host.wire_packets_per_s.mean) for _, host, _ in lines)),
        Column("loopback/s", tuple(formatting.size(host.loopback_bytes_per_s.mean) for _, host, _ in lines)),
        Column("process", tuple(DOING.get(one.name, one.name) for _, _, one in lines)),
        Column("cores", tuple(f"{one.cores.mean:.2f}" for _, _, one in lines)),
        Column("memory", tuple(formatting.size(one.bytes.mean) for _, _, one in lines)),
    ]
    return [Extra("What each host did", columns, _REMARK)]


def _point(row: Row) -> str:
    load = row.exchange.load
    return f"{label(row)}, {load} at once" if load else label(row)


_DIGITS = 4


def evidence(run: RunFolder, rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return the evidence for each row of a run, by the row's anchor, as plain data for a page.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    known = {row.anchor: row for row in rows}
    found = {}
    for configuration in run.manifest.configurations:
        repetitions = run.manifest.repetitions_of(configuration)
        if configuration.reference or not repetitions:
            continue
        row = known.get(frame(configuration, repetitions).anchor)
        if row is not None:
            found[row.anchor] = _of_row(run, configuration, repetitions, row, rows)
    return found


def _of_row(
    run: RunFolder, configuration: Configuration, repetitions: list[Repetition], row: Row, rows: Sequence[Row]
) -> dict[str, Any]:
    same = [one for one in rows if one.experiment == row.experiment]
    known = {**samples_of(row.each), **judged(row.cpu)}
    samples = {name: values for name, values in known.items() if len(values) == len(row.each)}
    # Figures are of valid repetitions, in their order.
    valid = [one for one in repetitions if not one.invalid] or repetitions
    if len(row.each) != len(valid):
        samples = {}
    values = iter(zip(*samples.values(), strict=True))
    lines = [
        [
            one.number,
            f"{one.started:%H:%M:%S}",
            _cores(one.others_cores),
            _percent(one.stolen),
            "held" if one.full_load else "not held",
            "; ".join(one.invalid),
            one.seed,
            *map(_rounded, next(values, ()) if one in valid else ()),
        ]
        for one in repetitions
    ]
    return {
        "name": f"{row.experiment}: {label(row)}, {point(row, same)}",
        "command": _command(configuration, len(repetitions)),
        "figures": [_named(row.experiment, name) for name in samples],
        "repetitions": lines,
        "files": [one.raw for one in repetitions],
        **_cut(run, configuration, valid, row),
    }


def _cut(
    run: RunFolder, configuration: Configuration, repetitions: list[Repetition], row: Row
) -> dict[str, Any]:
    """Return where the warm-up ends, and results for other cuts."""
    if row.warm_up is None or summary_of(configuration.experiment).raw != "messages":
        return {"cut": "", "cuts": []}
    known = row.warm_up
    span = f"{known.least}" if known.least == known.most else f"{known.least} to {known.most}"
    settled = [str(one) for one in known.settled if one is not None]
    found = f"; settled by itself after {', '.join(settled)}" if settled else ""
    said = f"The first {span} round trips of each pair are discarded ({known.rule}){found}."
    cuts = [
        [f"{one.part:.0%}", formatting.duration(one.median_us), formatting.duration(one.mean_us)]
        for one in other_cuts(run, repetitions)
    ]
    return {"cut": said, "cuts": cuts}


def _command(configuration: Configuration, repeat: int) -> str:
    """Return the command that measures a row again; empty where this version does not know how."""
    try:
        return f"{command(configuration)} --repeat {repeat}"
    except (KeyError, UsageError):  # experiments and subjects of other versions
        return ""


def _named(experiment: str, name: str) -> str:
    metric = metric_of(experiment, name)
    return f"{metric.title} ({metric.unit})" if metric.unit and metric.unit != PER_SECOND else metric.title


def _rounded(value: float) -> str:
    return formatting.digits(value, _DIGITS)


def _cores(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
