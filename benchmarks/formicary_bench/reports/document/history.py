"""An experiment over all runs: a table for each configuration, charts over time, and a page of both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Lines, Point
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.series import Series, look
from formicary_bench.reports.document.comparison import counted
from formicary_bench.reports.document.figures import main_metric, writer
from formicary_bench.reports.document.points import named, point
from formicary_bench.reports.document.sheet import ExperimentPage, Sheet
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.verdicts.factors import doubt_of_warmth
from formicary_bench.statistics.comparisons import FEWEST, Verdict
from formicary_bench.statistics.estimates import typical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.history import History, Spot, Track
    from formicary_bench.vocabulary.metrics import Metric

NOT_COMPARABLE = "not comparable"
"""The text where no earlier run was on a similar machine."""

_METHOD = (
    "Medians over repetitions, with 95% intervals. Each run is compared with the latest one before it on "
    "a similar machine, by Welch's t-test, corrected for all comparisons of the experiment (Holm)."
)


def main_tracks(found: History, experiment: str) -> list[Track]:
    """Return the main metric's track of each configuration of an experiment."""
    members = [track for track in found.tracks if track.row.experiment == experiment]
    names: dict[str, list[str]] = {}
    for track in members:
        names.setdefault(track.configuration.key, []).append(track.metric.name)
    return [one for one in members if one.metric == main_metric(experiment, names[one.configuration.key])]


def overview(found: History) -> Extra:
    """Return a line for each experiment: how many runs there are of it, when, where and by which versions."""
    runs = {name: _runs(found, name) for name in found.experiments}
    columns = [
        Column("experiment", tuple(runs), names=True),
        Column("runs", tuple(str(len(those)) for those in runs.values())),
        Column("first", tuple(_day(those[0]) for those in runs.values()), names=True),
        Column("last", tuple(_day(those[-1]) for those in runs.values()), names=True),
        Column(
            "machines",
            tuple(_each(run.manifest.machine.host for run in those) for those in runs.values()),
            names=True,
        ),
        Column(
            "versions",
            tuple(_each(run.manifest.formicary for run in those) for those in runs.values()),
            names=True,
        ),
    ]
    return Extra("Experiments", columns)


def track_tables(found: History, experiment: str) -> list[Extra]:
    """Return a table for each configuration of an experiment, with a line for each run."""
    tracks = main_tracks(found, experiment)
    rows = [track.row for track in tracks]
    return [_table(track, rows) for track in tracks]


def lines_of(found: History) -> list[dict[str, Any]]:
    """Return everything for programs: an object for each figure in each run."""
    return [_line(track, spot) for track in found.tracks for spot in track.spots]


def history_sheet(found: History) -> Sheet:
    """Return a page's content."""
    parts = [
        ExperimentPage(name, _charts(main_tracks(found, name)), track_tables(found, name))
        for name in found.experiments
    ]
    latest = [track.spots[-1].comparison for name in found.experiments for track in main_tracks(found, name)]
    verdicts = [one.verdict for one in latest if one is not None]
    lone = len(latest) - len(verdicts)
    said = [counted(verdicts)] if verdicts else []
    said += [f"{lone} {NOT_COMPARABLE}"] if lone else []
    charts = [chart for part in parts for chart in part.charts]
    about = found.experiments[0] if len(found.experiments) == 1 else f"{len(found.experiments)} experiments"
    runs = _runs(found)
    return Sheet(
        title=f"{about} over {formatting.counted(len(runs), 'run')}",
        found=f"Latest run of each: {', '.join(said)}" if said else "Nothing was measured",
        is_good=bool(verdicts) and not lone and not {Verdict.SLOWER, Verdict.UNDECIDED} & {*verdicts},
        picture=charts[0] if charts else None,
        remarks=[f"{remark}." for remark in found.remarks],
        parts=parts,
        method=_METHOD,
        facts=_facts(runs),
    )


def _table(track: Track, rows: Sequence[Row]) -> Extra:
    spots, write = track.spots, writer(track.metric)
    known = [typical(spot.values) for spot in spots]
    bounds = [formatting.between(*map(write, one.bounds)) if one and one.bounds else "" for one in known]
    columns = [
        Column("began", tuple(_moment(spot.run) for spot in spots), names=True),
        Column("machine", tuple(spot.run.manifest.machine.host for spot in spots), names=True),
        Column("version", tuple(_version(spot) for spot in spots), names=True),
        Column("mean", tuple(write(one.value) if one else formatting.NOTHING for one in known)),
        Column("95%", tuple(bounds)),
        Column("n", tuple(str(len(spot.values)) for spot in spots)),
        Column(
            "since the previous run",
            tuple(_since(spot, first=spot is spots[0]) for spot in spots),
            names=True,
        ),
        Column(
            "details",
            tuple(spot.comparison.sentence if spot.comparison else "" for spot in spots),
            names=True,
            minor=True,
        ),
    ]
    return Extra(f"{named(track.row, rows)}: {track.metric.title}", columns)


def _since(spot: Spot, *, first: bool) -> str:
    """Return the verdict on a run in a few words, and what else changed since the run before."""
    if first:
        return ""
    said = [*spot.machine_changes]
    said += [f"version {spot.version}, not {spot.version_before}"] if spot.version_before else []
    said += [NOT_COMPARABLE] if spot.machine_changes else []
    if spot.comparison is not None:
        base = f" against {spot.against.path.name}" if spot.machine_changes and spot.against else ""
        said.append(f"{spot.comparison.verdict}{base}")
    return "; ".join(said)


def _charts(tracks: Sequence[Track]) -> list[Chart]:
    """Draw lines over runs: a chart for each figure and size, a line for each subject and machine."""
    rows = [track.row for track in tracks]
    runs = sorted(
        {spot.run for track in tracks for spot in track.spots}, key=lambda run: run.manifest.started
    )
    groups: dict[tuple[Metric, str], list[Track]] = {}
    for track in tracks:
        groups.setdefault((track.metric, point(track.row, rows)), []).append(track)
    return [_chart(metric, at, members, runs) for (metric, at), members in groups.items()]


def _chart(metric: Metric, at: str, tracks: Sequence[Track], runs: Sequence[RunFolder]) -> Chart:
    write = writer(metric)
    places = {id(run): float(number) for number, run in enumerate(runs)}
    several = len({spot.run.manifest.machine.host for track in tracks for spot in track.spots}) > 1
    lines: dict[Series, list[Point]] = {}
    for track in tracks:
        style = look(track.row.platform, track.row.kind, track.row.route, tls=track.row.tls)
        for spot in track.spots:
            known = typical(spot.values)
            if known is None or known.value <= 0:
                continue
            host = f", {spot.run.manifest.machine.host}" if several else ""
            series = Series(f"{named(track.row, [track.row])}{host}", *style)
            other = f", not {spot.version_before} as before" if spot.version_before else ""
            tip = f"{_moment(spot.run)}: {write(known.value)}, {_version(spot)}{other}"
            lines.setdefault(series, []).append(
                Point(places[id(spot.run)], known.value, tip, known.bounds, sound=_is_sound(spot))
            )
    across = Axis("run", lambda place: _tick(place, runs), scales.linear_at)
    plot = Lines(across, Axis(metric.title, write), lines)
    columns = [
        Column("who", tuple(series.label for series, points in lines.items() for _ in points), names=True),
        Column("run", tuple(one.tip for points in lines.values() for one in points), names=True),
    ]
    size = f", {at}" if at else ""
    title = f"{metric.title.capitalize()}{size}, run by run"
    caption = "Medians, 95% intervals. A line is one machine; a hollow mark: it cannot be compared."
    return Chart(title, caption, plot, columns)


def _is_sound(spot: Spot) -> bool:
    """Whether a run can be compared with: it was warm, and has enough repetitions."""
    return doubt_of_warmth(spot.row.warmth, "") is None and len(spot.values) >= FEWEST


def _tick(value: float, runs: Sequence[RunFolder]) -> str:
    """Write the tick of a run: its day, or its time if all are of one day."""
    is_one_day = len({_day(run) for run in runs}) == 1
    return f"{runs[round(value)].manifest.started:{'%H:%M' if is_one_day else '%m-%d'}}"


def _line(track: Track, spot: Spot) -> dict[str, Any]:
    manifest, known = spot.run.manifest, typical(spot.values)
    machine = {
        what: getattr(manifest.machine, what)
        for what in ("host", "cpu", "usable", "python", "loop", "prosody")
    }
    return {
        "experiment": track.row.experiment,
        "name": f"{track.configuration.key}: {track.metric.title}",
        "metric": track.metric.name,
        "configuration": track.configuration,
        "run": str(spot.run.path),
        "started": manifest.started.isoformat(timespec="seconds"),
        "machine": machine,
        "version": spot.version,
        "commit": manifest.git.commit if manifest.git else "",
        "complete": manifest.complete,
        "values": spot.values,
        "mean": known.value if known else None,
        "interval": known.bounds if known else None,
        "machine_changes": spot.machine_changes,
        "version_before": spot.version_before or None,
        "against": str(spot.against.path) if spot.against else None,
        "comparison": spot.comparison,
    }


def _facts(runs: Sequence[RunFolder]) -> Extra:
    columns = [
        Column("run", tuple(str(run.path) for run in runs), names=True),
        Column("began", tuple(_moment(run) for run in runs), names=True),
        Column("host", tuple(run.manifest.machine.host for run in runs), names=True),
        Column("processor", tuple(run.manifest.machine.cpu for run in runs), names=True),
        Column("python", tuple(run.manifest.machine.python for run in runs), names=True),
        Column("version", tuple(run.manifest.formicary for run in runs), names=True),
    ]
    return Extra("The runs", columns)


def _runs(found: History, experiment: str | None = None) -> list[RunFolder]:
    known = {
        id(spot.run): spot.run
        for track in found.tracks
        if experiment in {None, track.row.experiment}
        for spot in track.spots
    }
    return sorted(known.values(), key=lambda run: run.manifest.started)


def _version(spot: Spot) -> str:
    git = spot.run.manifest.git
    return f"{spot.version} ({git.commit[:7]}{'+' if git.dirty else ''})" if git else spot.version


def _day(run: RunFolder) -> str:
    return f"{run.manifest.started:%Y-%m-%d}"


def _moment(run: RunFolder) -> str:
    return f"{run.manifest.started:%Y-%m-%d %H:%M}"


def _each(words: Any) -> str:
    return ", ".join(dict.fromkeys(word for word in words if word))
