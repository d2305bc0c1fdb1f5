"""How long all messages take in all, of agents and of plain processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.reports.charts.plots import Chart, against, intervals, values
from formicary_bench.reports.charts.series import by_series, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import listed
from formicary_bench.reports.document.factors import said as said_of
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import at_once, where
from formicary_bench.reports.document.tables import Column, Extra, who_columns
from formicary_bench.results.summary.baselines import BASELINES
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.subjects.registry import label_of
from formicary_bench.vocabulary.metrics import TOTAL
from formicary_bench.vocabulary.placements import TWO_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor

_PROCESSES = "tcp", "unix", "shared-memory"


def lower_bound_sentences(rows: Sequence[Row]) -> list[str]:
    """Say how long agents take, and how fast that is beside processes."""
    said: list[str] = []
    ours = (row for row in rows if row.platform not in BASELINES and row.estimate(TOTAL))
    for members in by_series(ours).values():
        most = max(members, key=lambda row: row.exchange.pairs)
        found = against_processes(most, rows, "tcp")
        of = told(", ", listed([found])) if found else ""
        total = cite(value_of(most, TOTAL), most)
        who = subject(most).lower()
        said.append(told(f"{where(most)}, {who}: {at_once(most)} take ", total, " in all", of, "."))
    return said


def lower_bound_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the total time against the number of pairs, on one host and on two."""
    known = [row for row in rows if row.estimate(TOTAL)]
    panels = {
        "one host": [row for row in known if row.placement != TWO_HOSTS],
        "two hosts": [row for row in known if row.placement == TWO_HOSTS],
    }
    return [
        Chart(
            titled(f"Total time against pairs, {name}", panel),
            f"All measured messages of all pairs. {intervals(panel)}",
            against(panel, lambda row: row.exchange.pairs, "pairs at once", str, TOTAL),
            values(panel, "pairs", lambda row: str(row.exchange.pairs), TOTAL),
        )
        for name, panel in panels.items()
        if panel
    ]


def against_processes_table(rows: Sequence[Row]) -> list[Extra]:
    """Hold agents against processes over each means, with intervals; nothing without the processes."""
    found = [
        (row, factors)
        for row in ordered(rows)
        if any(factors := [against_processes(row, rows, platform) for platform in _PROCESSES])
    ]
    if not found:
        return []
    columns = [
        Column(label_of(platform, ""), tuple(said_of(one) if one else "" for one in held))
        for platform, *held in zip(_PROCESSES, *(factors for _, factors in found), strict=True)
        if any(held)
    ]
    remark = (
        "Processes talk over a TCP or Unix socket for each pair, or look for messages in shared memory, "
        "which keeps a core of each busy. On one host direct links are Unix sockets. Agents in one process "
        "are held against processes on one host, as in the paper."
    )
    return [
        Extra("Agents against plain processes", [*who_columns([row for row, _ in found]), *columns], remark)
    ]


def against_processes(row: Row, rows: Iterable[Row], platform: str) -> Factor | None:
    """Return how fast a row is in all beside processes of a baseline; None without these.

    They are on as many hosts, and have TLS if the row has.
    """
    if row.platform in BASELINES:
        return None
    for other in rows:
        is_like = other.sizes == row.sizes and other.tls == row.tls and not other.invalid
        is_there = (other.placement == TWO_HOSTS) == (row.placement == TWO_HOSTS)
        if other.platform == platform and is_like and is_there:
            found = factor(row, other, TOTAL)
            return found and replace(found, name="processes")
    return None


REPORT = Report(sentences=lower_bound_sentences, charts=lower_bound_charts, extras=against_processes_table)
