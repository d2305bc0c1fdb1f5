"""A run's results in a few lines: a block for each experiment, a line for each series.

It follows from declarations: a block has an experiment's main metric at both ends of what it grows by, or,
at one point, its first metrics; a line compares a series with its best rival or its baseline.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import declared
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import SAME, by_series, label, subject
from formicary_bench.reports.document.factors import main_metric
from formicary_bench.reports.document.figures import said, writer
from formicary_bench.reports.document.report import columns, parts
from formicary_bench.reports.document.sentences import found_by
from formicary_bench.reports.document.usual import most_of
from formicary_bench.results.summary.baselines import based, baseline_of, rivals_of
from formicary_bench.results.verdicts.factors import doubt_about, factor
from formicary_bench.statistics.comparisons import RESOLUTION
from formicary_bench.subjects.registry import about_of
from formicary_bench.vocabulary.metrics import TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.reports.document.sections import Document
    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor
    from formicary_bench.vocabulary.metrics import Metric

_FIGURES = 2  # in a line
_BESIDE = "relative speed"
_INCONCLUSIVE = "inconclusive"
_HERE = " in one process"
_ROUTES = {"direct": "without a server", "xmpp": "through an XMPP server"}


class Line(msgspec.Struct, frozen=True):
    """The results of a series.

    Attributes:
        who: The series, or the experiment.
        figures: Below the headings of the block.
        verdict: Its speed beside that of its rival or baseline; empty without one.
        value: How good it is, for a bar; 0 without one.
    """

    who: str
    figures: tuple[str, ...]
    verdict: str = ""
    value: float = 0.0


class Block(msgspec.Struct, frozen=True):
    """The results of an experiment.

    Attributes:
        title: Its name.
        headings: Of its figures, and of verdicts.
        lines: At least one.
        main: The index of its main metric among the headings.
    """

    title: str
    headings: tuple[str, ...]
    lines: list[Line]
    main: int = 0


def blocks(document: Document) -> list[Block]:
    """Return a block for each experiment of a run; where there are several, without baselines."""
    run = [row for row in document.shown if not row.profiled]
    found = list(parts(document.shown))
    names = {experiment for experiment, _ in found}
    made = [_block(name, rows, run, alone=len(names) == 1) for name, rows in found]
    return [one for one in made if one.lines]


def briefly(found: Sequence[Block]) -> Block:
    """Return one block for all, with the first line of each that has its main metric."""
    lines = []
    for one in found:
        line = next((each for each in one.lines if any(each.figures[one.main :])), one.lines[0])
        figures = line.figures[one.main :][:1]
        lines.append(msgspec.structs.replace(line, who=one.title, figures=figures, value=0.0))
    return Block(formatting.counted(len(found), "experiment"), ("", _BESIDE), lines)


def hints(document: Document) -> list[str]:
    """Return what a reader should know and do next, without full stops."""
    manifest, trust = document.run.manifest, document.trust
    said = []
    if not manifest.complete:
        said.append(f"partial run; resume it with: formicary bench run --resume {document.run.path}")
    if manifest.left_out:
        said.append(manifest.left_out)
    said += document.hints
    if trust.advice:
        said.append(f"{'; '.join(trust.reasons)}: {'; '.join(trust.advice)}")
    return said


def legend(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Return the names in a run that need explaining, with their meanings."""
    rows = list(rows)
    who = {subject(row): about_of(row.platform, row.kind) for row in rows}
    routes = {row.route for row in rows if row.placement != SAME and row.platform == "formicary"}
    ways = {route: about for route, about in _ROUTES.items() if route in routes}
    return [(name, about) for name, about in (who | ways).items() if about]


def _block(experiment: str, rows: Sequence[Row], run: Sequence[Row], *, alone: bool) -> Block:
    known = declared(experiment)
    members = list(by_series(rows).values()) if alone else found_by(rows)
    main = known.main_metric if known else TIME
    if known is None or rows[0].profiled or all(row.mean(main) is None for row in rows):
        return _of_table(experiment, rows, run)
    points = sorted({row.size(known.over) for series in members for row in series}) if known.over else []
    if len(points) > 1:
        time = TIME if any(row.mean(TIME) is not None for row in rows) else main
        wanted = [(points[0], time), (points[-1], main)]
        headings, at = [_said(known, point) for point, _ in wanted], _said(known, points[-1])
    else:
        point = points[0] if points else 0
        wanted = [(point, one) for one in _metrics(known, rows)]
        headings, at = [metric.heading for _, metric in wanted], _said(known, point) if point else ""
    lines = [one for series in members if any((one := _line(series, known, wanted, run)).figures)]
    beside = _BESIDE if any(one.verdict for one in lines) else ""
    headings.append(", ".join(filter(None, (beside, at))))
    return Block(
        experiment, tuple(headings), _shortened(lines), main=len(wanted) - 1 if len(points) > 1 else 0
    )


def _metrics(known: Experiment, rows: Sequence[Row]) -> list[Metric]:
    """Return what an experiment is about, and one metric of another unit."""
    main = known.main_metric
    others = [one for one in (TIME, *known.shown) if one.unit != main.unit and not one.minor]
    return [main, *[one for one in others if any(row.mean(one) is not None for row in rows)][: _FIGURES - 1]]


def _shortened(lines: list[Line]) -> list[Line]:
    """Omit the place if everything is in one process."""
    if not all(one.who.endswith(_HERE) for one in lines):
        return lines
    return [msgspec.structs.replace(one, who=one.who.removesuffix(_HERE)) for one in lines]


def _line(
    series: Sequence[Row], known: Experiment, wanted: Sequence[tuple[int, Metric]], run: Sequence[Row]
) -> Line:
    rows = [_at(series, known, point) for point, _ in wanted]
    figures = tuple(_figure(row, metric) for row, (_, metric) in zip(rows, wanted, strict=True))
    row = rows[-1]
    if row is None:
        return Line(label(series[0]), figures)
    metric = main_metric(row)
    value = row.mean(metric) or 0.0
    if value and not metric.more_is_better:
        value = 1 / value  # a longer bar is better everywhere
    other = _other(row, metric, run)
    found = factor(row, other, metric) if other else None
    if other is None or found is None:
        return Line(label(row), figures, value=value)
    name = subject(other) if other.family == row.family else "a message"
    name = found.name if based(row) else name
    return Line(label(row), figures, _verdict(found, name), value)


def _at(series: Sequence[Row], known: Experiment, point: int) -> Row | None:
    """Return the row of a series at a point of what grows, with the largest other sizes."""
    there = [row for row in series if not known.over or row.size(known.over) == point]
    return most_of(there, known) if there else None


def _figure(row: Row | None, metric: Metric) -> str:
    value = row.mean(metric) if row else None
    return "" if value is None else writer(metric)(value)


def _other(row: Row, metric: Metric, run: Sequence[Row]) -> Row | None:
    """Return the best other platform's row, or else the baseline."""
    rivals = [one for one in rivals_of(row, run) if one.mean(metric) is not None]
    rivals = [one for one in rivals if doubt_about(one) is None] or rivals
    best = max if metric.more_is_better else min
    return best(rivals, key=lambda one: one.mean(metric) or 0.0) if rivals else baseline_of(row, run)


def _verdict(found: Factor, name: str) -> str:
    """Return the speed beside another's: `0.71× asyncio tasks (0.69–0.74)`."""
    if found.ratio is None:
        return f"{_INCONCLUSIVE}: {name}"
    if found.is_same:
        return f"as fast as {name} (±{RESOLUTION:.0%})"
    return formatting.beside(found.ratio, name)


def _said(known: Experiment, point: int) -> str:
    return said(known.grows_by, point) if known.grows_by else ""


def _of_table(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> Block:
    """Return the first figures of the table of an experiment."""
    first, *others = (one for one in columns(experiment, rows, run) if not one.minor and one.title != "95%")
    words = [one for one in others if not re.search(r"\d", "".join(one.cells))]
    shown = [one for one in others if one not in words][:_FIGURES]
    told = [one.cells for one in (first, *words) if len(set(one.cells)) > 1] or [first.cells]
    names = [", ".join(filter(None, cells)) for cells in zip(*told, strict=True)]
    lines = [Line(name, tuple(one.cells[at] for one in shown)) for at, name in enumerate(names)]
    return Block(experiment, (*(one.title for one in shown), ""), lines)
