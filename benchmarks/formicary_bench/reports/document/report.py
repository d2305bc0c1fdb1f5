"""What reports show of an experiment: what its declaration says, or what it has of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS, declared
from formicary_bench.reports.document import cpu
from formicary_bench.reports.document.cpu_reference import cpu_references, share_charts
from formicary_bench.reports.document.hosts import host_tables, invalid_remarks
from formicary_bench.reports.document.papers import beside_published
from formicary_bench.reports.document.points import Findings
from formicary_bench.reports.document.round_trips import round_trip_charts, round_trip_sentences
from formicary_bench.reports.document.sentences import remarks, source, title
from formicary_bench.reports.document.stability import dependent_remarks, stability_extras
from formicary_bench.reports.document.tables import less_extra
from formicary_bench.reports.document.usual import usual_charts, usual_columns, usual_sentences, usual_tiles
from formicary_bench.reports.document.verdicts import verdict_extras, verdict_remarks
from formicary_bench.vocabulary.names import is_cpu

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.sentences import Tile
    from formicary_bench.reports.document.tables import Column, Extra
    from formicary_bench.results.summary.row import Row, Tail


def _none(_: Findings) -> list[Extra]:
    return []


def _no_remarks(_: Findings) -> list[str]:
    return []


@dataclass(frozen=True, kw_only=True)
class Report:
    """What reports show of an experiment, all made of its rows, of which there is at least one.

    Attributes:
        columns: The table of its rows.
        sentences: What it found, a sentence each.
        charts: Its charts.
        extras: Further tables, besides those of verdicts, stability and hosts.
        remarks: What a reader must know besides, before believing the figures.
        tiles: Figures to be seen first, the most telling one first.
    """

    columns: Callable[[Findings], list[Column]] = usual_columns
    sentences: Callable[[Findings], list[str]] = usual_sentences
    charts: Callable[[Findings], list[Chart]] = usual_charts
    extras: Callable[[Findings], list[Extra]] = _none
    remarks: Callable[[Findings], list[str]] = _no_remarks
    tiles: Callable[[Findings], list[Tile]] = usual_tiles


def _cpu_charts(rows: Sequence[Row]) -> list[Chart]:
    return [*cpu.cpu_charts(rows), *share_charts(rows)]


def _cpu_extras(rows: Sequence[Row]) -> list[Extra]:
    return [*cpu.cpu_by_host(rows), *cpu_references(rows)]


CPU = Report(
    columns=cpu.cpu_columns,
    sentences=cpu.cpu_sentences,
    charts=_cpu_charts,
    extras=_cpu_extras,
    remarks=cpu.cpu_remarks,
)
"""What is shown of profiled rows."""


_MOST_TILES, _OF_ONE = 4, 3

ROUND_TRIPS = Report(sentences=round_trip_sentences, charts=round_trip_charts)
"""What is shown of messages and their answers."""


def report_of(experiment: str) -> Report:
    """Return what reports show of an experiment."""
    known = declared(experiment)
    if known is not None and known.report is not None:
        report: Report = known.report.load()
        return report
    is_usual = known is not None and (known.says or known.figures)
    return Report() if is_usual else ROUND_TRIPS


def _report(experiment: str, rows: Sequence[Row]) -> Report:
    """Return what is shown of rows, either all profiled or none of them."""
    return CPU if is_profiled(rows) else report_of(experiment)


def columns(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Column]:
    """Return the table of an experiment.

    Args:
        experiment: Its name.
        rows: Its rows, either all profiled or none of them.
        run: All rows of the run, for comparisons with another experiment; likewise in other functions here.
    """
    return _report(experiment, rows).columns(Findings(rows, run))


def said(experiment: str, rows: Sequence[Row], run: Sequence[Row] = ()) -> list[str]:
    """Return what an experiment found, a sentence each; arguments as of `columns`."""
    return _report(experiment, rows).sentences(Findings(rows, run))


def to_know(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know before believing the figures of an experiment."""
    found = [*invalid_remarks(rows), *remarks(rows)]
    for report in dict.fromkeys((_report(rows[0].experiment, rows), report_of(rows[0].experiment))):
        found += report.remarks(Findings(rows))
    found += dependent_remarks(rows)
    return found if is_profiled(rows) else [*found, *verdict_remarks(rows)]


def charts(
    experiment: str, rows: Sequence[Row], run: Sequence[Row], tails: Mapping[Row, Tail] | None = None
) -> list[Chart]:
    """Return the charts of an experiment; arguments as of `columns`, with the distributions of rows."""
    return _report(experiment, rows).charts(Findings(rows, run, tails))


def extras(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Extra]:
    """Return the further tables of an experiment: verdicts, published figures; arguments as of `columns`."""
    report = _report(experiment, rows)
    judged = [] if is_profiled(rows) else [*verdict_extras(rows), *less_extra(rows)]
    return [
        *judged,
        *beside_published(experiment, rows),
        *report.extras(Findings(rows, run)),
        *stability_extras(rows),
        *host_tables(rows),
    ]


def tiles(rows: Sequence[Row]) -> list[Tile]:
    """Choose the figures of a run to be seen first: no more than four, most of them of one experiment."""
    measured = {row.experiment for row in rows}
    found = [
        report_of(name).tiles(Findings([row for row in rows if row.experiment == name], rows))
        for name in EXPERIMENTS
        if name in measured
    ]
    chosen = [tile for of_it in found for tile in of_it[:_OF_ONE]]
    rest = [tile for of_it in found for tile in of_it[_OF_ONE:]]
    return [*chosen, *rest][:_MOST_TILES]


def is_profiled(rows: Sequence[Row]) -> bool:
    return any(row.profiled for row in rows)


def heading(experiment: str, rows: Sequence[Row]) -> str:
    """Return the title of what is shown of an experiment."""
    by_option = is_profiled(rows) and not is_cpu(experiment)
    return f"{title(experiment)}: where the CPU time goes" if by_option else title(experiment)


def full_heading(experiment: str, rows: Sequence[Row]) -> str:
    """Return the title of what is shown of an experiment, with its name and what of the papers it repeats."""
    known = source(experiment)
    of_papers = f": as in {known}" if known and not known.startswith("our own") else ""
    return f"{heading(experiment, rows)} ({experiment}){of_papers}"


def parts(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Sort rows by experiment, and those that were profiled apart, behind the others."""
    groups: dict[tuple[bool, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.profiled, row.experiment), []).append(row)
    return [
        (experiment, of_it) for (_, experiment), of_it in sorted(groups.items(), key=lambda one: one[0][0])
    ]
