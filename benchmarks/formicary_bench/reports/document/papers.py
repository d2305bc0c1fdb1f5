"""Links to the papers: which figure or table ours repeats, and the published values beside ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.published import TABLES, Printed
from formicary_bench.published.claims import papers
from formicary_bench.reports.charts.lines import Dot, Dots
from formicary_bench.reports.charts.series import Series, label
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.points import ordered, point
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.vocabulary.names import is_cpu

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.experiments.experiment import Repeats
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric


def titled(title: str, rows: Sequence[Row], after: str = "") -> str:
    """Prefix a title with what it repeats, if anything: `After Alberola 2010, Fig. 9: ...`.

    Args:
        title: The title of a chart.
        rows: What it shows, of one experiment.
        after: The figure or table of the paper, if not those that the rows repeat.
    """
    found = repeated(rows, after)
    return f"{found}: {title}" if found else title


def repeated(rows: Sequence[Row], after: str = "") -> str:
    """Return the figures or tables of a paper that rows of an experiment repeat; empty if none."""
    known = EXPERIMENTS.get(rows[0].experiment) if rows else None
    if known is None or known.repeats is None:
        return ""
    return after_paper(known.repeats, known.repeats.numbers(rows), after)


def after_paper(repeats: Repeats, numbers: Iterable[int | str], after: str = "") -> str:
    """Return the figures or tables of a paper that something repeats: `After Alberola 2010, Fig. 5 and 6`."""
    *first, last = [str(one) for one in sorted(numbers, key=_in_order)] or [""]
    if not (last or after):
        return ""
    kind = {"Figure": "Fig."}.get(repeats.kind, repeats.kind)
    said = f"{', '.join(first)} and {last}" if first else last
    return f"After {repeats.paper}, {after or f'{kind} {said}'}"


def cpu_table(row: Row) -> int | None:
    """Return the number of the table of CPU time that a row repeats; None where it repeats none."""
    known = EXPERIMENTS.get(row.experiment)
    if known is None or known.repeats is None or not is_cpu(known.name):
        return None
    return min(map(int, known.repeats.numbers([row])), default=None)


def _in_order(number: int | str) -> tuple[int, str]:
    digits = re.match(r"\d+", str(number))
    return (int(digits[0]) if digits else 0), str(number)


def beside_published(experiment: str, rows: Sequence[Row]) -> list[Extra]:
    """Return published figures as printed, and ours below; nothing if there are none."""
    known = EXPERIMENTS.get(experiment)
    theirs = printed(experiment)
    if known is None or not theirs:
        return []
    table = TABLES[known.published]
    source = f"{table.paper}, {table.where}"
    metrics = [one for one in known.shown if one.heading in theirs[0].texts]
    ours = [row for row in ordered(rows) if any(row.estimate(one) for one in metrics)]
    before = ("",) * len(theirs)
    columns = [
        Column(
            "who",
            (*(f"{one.who} ({source})" for one in theirs), *map(label, ours)),
            names=True,
            of=(*before, *(row.anchor for row in ours)),
        ),
        Column("at", (*(one.at for one in theirs), *(point(row, rows) for row in ours)), names=True),
        *(
            Column(
                one.heading,
                (*(line.texts[one.heading] for line in theirs), *(value_of(row, one) for row in ours)),
            )
            for one in metrics
        ),
    ]
    remark = f"As printed; measured on {papers()[table.paper].machine}. {table.remark}".strip()
    return [Extra("Beside the published figures", columns, remark)] if ours and metrics else []


def printed(experiment: str) -> list[Printed]:
    """Return the published values of an experiment."""
    known = EXPERIMENTS.get(experiment)
    return TABLES[known.published].lines(known.benchmark) if known and known.published else []


def with_published(plot: Dots, experiment: str, metric: Metric) -> Dots:
    """Return a chart with published values of the same metric as further dots."""
    known = EXPERIMENTS.get(experiment)
    theirs = [one for one in printed(experiment) if known and known.benchmark and metric.heading in one.texts]
    if known is None or not theirs:
        return plot
    table = TABLES[known.published]
    marks = [
        Dot(
            Series(one.who, "u", "circle", ""),
            one.values[metric.heading],
            one.texts[metric.heading],
            published=True,
        )
        for one in theirs
    ]
    where = f"Published, not measured here: {table.paper}, {table.where}"
    return Dots({**plot.groups, where: marks}, plot.title, plot.tick)
