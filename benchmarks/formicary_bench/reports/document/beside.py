"""What papers print, beside ours: the same table for every experiment that declares one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.published import TABLES, Printed
from formicary_bench.published.claims import papers
from formicary_bench.reports.charts.dots import Dot, Dots
from formicary_bench.reports.charts.series import Series, label
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.points import ordered, point
from formicary_bench.reports.document.tables import Column, Extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric


def beside_published(experiment: str, rows: Sequence[Row]) -> list[Extra]:
    """Return the figures that a paper prints, as printed, and ours below; nothing where it prints none."""
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
    """Return what a paper prints of an experiment."""
    known = EXPERIMENTS.get(experiment)
    return TABLES[known.published].lines(known.benchmark) if known and known.published else []


def with_published(plot: Dots, experiment: str, metric: Metric) -> Dots:
    """Return a chart with what a paper prints of the same metric as dots of its own."""
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
