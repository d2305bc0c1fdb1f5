"""The report of an experiment from its declaration alone: a table, sentences, charts.

The table has the subjects, the sizes, each metric, and comparisons. Sentences are filled templates. A chart
shows a metric over a parameter, and the platforms at its largest value.
"""

from __future__ import annotations

import re
from itertools import compress
from string import Formatter
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import declared, metrics_of
from formicary_bench.published import TABLES
from formicary_bench.reports.charts.plots import Chart, against, dots, intervals, typical_columns, values
from formicary_bench.reports.charts.series import label, subject
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.figures import cite, said, sized, told, value_of
from formicary_bench.reports.document.papers import titled, with_published
from formicary_bench.reports.document.points import ordered, run_of
from formicary_bench.reports.document.sentences import after, found_by, tile_of, where
from formicary_bench.reports.document.stability import stability_column, warmth_column
from formicary_bench.reports.document.tables import UNEVEN, Column, metric_columns, who_columns
from formicary_bench.vocabulary.metrics import ROUND_TRIPS
from formicary_bench.vocabulary.parameters.shared import ROUNDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from formicary_bench.experiments.experiment import Experiment, Figure
    from formicary_bench.reports.document.sentences import Tile
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric

    Draw = Callable[[Figure, Sequence[Row], Experiment], Iterable[Chart]]

_OPTIONAL = re.compile(r"\[([^]]*)\]")
HOSTS = "hosts"
"""What a figure may be over, though it is not a parameter of an experiment."""

_NONE_AT_ALL = 0.5  # where nothing stands on an axis that has no zero


def usual_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of an experiment; that of round trips if it is unknown."""
    known, lines = declared(rows[0].experiment), ordered(rows)
    return [
        *who_columns(lines),
        *metric_columns(lines, known.shown if known else ROUND_TRIPS),
        *baseline_columns(lines, run_of(rows)),
        *full_load_column(lines),
        *warmth_column(lines),
        *stability_column(lines),
    ]


def full_load_column(rows: Sequence[Row]) -> list[Column]:
    """Return the column about full load, which matters most where it did not hold."""
    words = {True: "held", False: UNEVEN, None: ""}
    cells = tuple(words[row.full_load] for row in rows)
    return [Column("full load", cells, minor=UNEVEN not in cells)] if any(cells) else []


def usual_sentences(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each series except baselines, about its largest point."""
    known = declared(rows[0].experiment) if rows else None
    if known is None or not known.says:
        return []
    run = run_of(rows)
    return [sentence(known.says, most_of(members, known), run) for members in found_by(rows)]


def sentence(template: str, row: Row, rows: Sequence[Row]) -> str:
    """Return a template filled with the figures of a row; see `Experiment.says`."""
    metrics = metrics_of(row.experiment)
    shown = _OPTIONAL.sub(lambda part: part[1] if _knows_all(part[1], row, metrics) else "", template)
    names = [name for _, name, _, _ in Formatter().parse(shown) if name]
    unknown = [metrics[name].title for name in names if name in metrics and row.mean(metrics[name]) is None]
    if unknown and not row.invalid:
        return f"{label(row)}: longer repetitions would tell {' and '.join(unknown)}."
    parts: list[str] = []
    for text, name, _, _ in Formatter().parse(shown):
        parts += [text, *([_field(name, row, rows, metrics)] if name else [])]
    return told(*parts)


def _knows_all(part: str, row: Row, metrics: Mapping[str, Metric]) -> bool:
    names = [name for _, name, _, _ in Formatter().parse(part) if name]
    return all(row.mean(metrics[name]) is not None if name in metrics else row.size(name) for name in names)


def _field(name: str, row: Row, rows: Sequence[Row], metrics: Mapping[str, Metric]) -> str:
    if name in metrics:
        return cite(value_of(row, metrics[name]), row)
    if name == "where":
        return where(row)
    known = declared(row.experiment)
    assert known is not None
    if name == "beside":
        return after(all_of(row, rows, known.main_metric))
    if name in {"who", "Who"}:
        who = subject(row) if row.platform != "formicary" or name == "Who" else subject(row).lower()
        own = [one for one in known.own if one.in_label and row.size(one.attribute) not in {0, "", one.usual}]
        return ", ".join([who, *(said(one, row.size(one.attribute)) for one in own)])
    return next(said(one, row.size(name)) for one in known.own if one.attribute == name)


def usual_tiles(rows: Sequence[Row]) -> list[Tile]:
    """Return our row with the most as a tile of the metric that platforms are compared by."""
    known = declared(rows[0].experiment) if rows else None
    ours = [one for one in found_by(rows) if one[0].platform == "formicary" and not one[0].tls]
    if known is None or not ours:
        return []
    row, main, grows = most_of(ours[0], known), known.main_metric, known.grows_by
    size = said(grows, row.size(grows.attribute)) if grows and row.size(grows.attribute) else ""
    meaning = ", ".join(filter(None, (main.title, label(row).lower(), size)))
    tile = tile_of(row, main, meaning, all_of(row, run_of(rows), main))
    return [tile] if tile else []


def most_of(rows: Sequence[Row], experiment: Experiment) -> Row:
    """Return the row with the largest sizes, first that by which the experiment grows."""
    own = [one.attribute for one in experiment.own if one.attribute != ROUNDS.attribute]

    def much(row: Row) -> tuple[object, ...]:
        sizes = [row.size(name) for name in own]
        return row.size(experiment.over), sum(size for size in sizes if isinstance(size, int))

    return max(rows, key=much)


def usual_charts(rows: Sequence[Row], draw: Draw | None = None) -> list[Chart]:
    """Show metrics over parameters, and the platforms at the largest of these.

    Args:
        rows: What is shown.
        draw: Draws a figure; as a line over its parameter if None.
    """
    experiment = declared(rows[0].experiment) if rows else None
    if experiment is None:
        return []
    draw = draw or figure_charts
    charts = [chart for figure in experiment.figures for chart in draw(figure, rows, experiment)]
    main, run = experiment.main_metric, run_of(rows)
    known = [row for row in rows if row.mean(main) is not None]
    if not known:
        return charts
    most = max(row.size(experiment.over) for row in known)
    top = [row for row in known if row.size(experiment.over) == most]
    grows = experiment.grows_by
    title = ", ".join([_capital(main.title), *([said(grows, most)] if grows and most else [])])
    better = "More is better." if main.more_is_better else "Less is better."
    plot = with_published(dots(top, main, lambda row: against_baseline(row, run)), experiment.name, main)
    caption = f"{better} {intervals(top)}".strip()
    if experiment.benchmark:
        title = titled(title, top, TABLES[experiment.published].where)
    elif main in [figure.metric for figure in experiment.figures]:
        title = titled(title, top)
    return [*charts, Chart(title, caption, plot, typical_columns(top, main))]


def figure_charts(figure: Figure, rows: Sequence[Row], experiment: Experiment) -> list[Chart]:
    """Draw a metric over a parameter, a chart for each of the other sizes; nothing if it does not vary."""

    def much(row: Row) -> int:
        return row.hosts if figure.over == HOSTS else int(row.size(figure.over))

    return [
        _figure_chart(figure, panel, experiment, at)
        for at, panel in panels_of(figure, rows, experiment)
        if len({much(row) for row in panel}) > 1
    ]


def panels_of(
    figure: Figure, rows: Sequence[Row], experiment: Experiment
) -> Iterator[tuple[list[str], list[Row]]]:
    """Yield the rows of each of a figure's charts, with the other sizes that tell these apart."""
    others = [
        one
        for one in experiment.own
        if not one.in_label and one.attribute not in {figure.over, ROUNDS.attribute}
    ]
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row.estimate(figure.metric):
            found.setdefault(tuple(said(one, row.size(one.attribute)) for one in others), []).append(row)
    varying = [len(set(words)) > 1 for words in zip(*found, strict=True)]
    for words, panel in found.items():
        yield list(compress(words, varying)), panel


def _figure_chart(figure: Figure, rows: Sequence[Row], experiment: Experiment, at: Sequence[str]) -> Chart:
    parameter = next((one for one in experiment.own if one.attribute == figure.over), None)
    heading = parameter.heading if parameter else HOSTS

    def much(row: Row) -> int:
        return int(row.size(figure.over)) if parameter else row.hosts

    def text(value: float) -> str:
        return (sized(parameter, int(value)) if parameter else str(int(value))) or "0"

    plot = against(rows, lambda row: much(row) or _NONE_AT_ALL, heading, text, figure.metric)
    title = figure.title or f"{_capital(figure.metric.title)} against {heading}"
    caption = f"{figure.caption} {intervals(rows)}".strip()
    table = values(rows, heading, lambda row: text(much(row)), figure.metric)
    return Chart(titled(", ".join([title, *at]), rows, figure.after), caption, plot, table)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
