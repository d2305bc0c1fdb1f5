"""Open loops and searches for the highest rate in the pipeline: plans, rows, reports."""

from __future__ import annotations

from math import ceil
from statistics import median
from typing import TYPE_CHECKING, Any

from formicary.errors import UsageError
from formicary_bench.experiments.messaging import open_loop
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, lines_of, tick
from formicary_bench.reports.charts.series import subject
from formicary_bench.reports.document.figures import cite, told
from formicary_bench.reports.document.points import named, ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import at_once, found_by, where
from formicary_bench.reports.document.usual import usual_columns, usual_sentences
from formicary_bench.results.store.raw import Trials
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading, samples_of
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.statistics.percentiles import of_ordered
from formicary_bench.vocabulary.metrics import P99
from formicary_bench.vocabulary.values import HEAD, LATE, LATEST_US

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Exchanged, Reading, Record
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric
    from formicary_bench.vocabulary.parameters.shared import Rounds


PHASES_S = 0.5, 2.0, 0.5
"""Seconds of warm-up, measurement and cool-down, unless the user chose a number of messages."""

_LONGEST_S = 3600
_TRIALS, _TRIAL_S = 10, 0.8  # trials of a search, and seconds of each load


def at_rates(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with its messages at a rate.

    Raises:
        UsageError: messages are too small to hold a number, or would take longer than an hour.
    """
    _check_size(draft)
    rate, pairs = draft.sizes["rate"], draft.sizes["pairs"]
    rounds = draft.options.sizes.get("rounds") or rounds_at(rate, pairs, PHASES_S)
    seconds = pairs * sum(rounds) / rate
    if seconds > _LONGEST_S:
        raise UsageError(
            f"{pairs} pairs at {rate} messages/s would take {seconds / 3600:.1f} hours; use a "
            "higher --rate, fewer --pairs or smaller --rounds"
        )
    yield draft.sized(rounds=rounds)


def searches(draft: Draft) -> Iterator[Draft]:
    """Yield a draft for a search of the highest rate.

    Raises:
        UsageError: messages are too small to hold a number.
    """
    _check_size(draft)
    yield draft


def rounds_at(rate: int, pairs: int, phases_s: tuple[float, float, float]) -> Rounds:
    """Return the messages of each pair that last T1, T2 and T3 seconds at a rate."""
    warm_up, measured, cool_down = (ceil(rate / pairs * seconds) for seconds in phases_s)
    return warm_up, measured, cool_down


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition from its messages."""
    return DefaultDuration(begin, one.exchange.load * one.exchange.trips / open_loop.Paced.of(one).rate)


def search_duration(_: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a search for the highest rate."""
    return DefaultDuration(_TRIALS * begin, _TRIALS * _TRIAL_S)


def _check_size(draft: Draft) -> None:
    """Refuse messages that are too small to hold a number."""
    if draft.sizes["payload_bytes"] < HEAD:
        raise UsageError(
            f"{draft.experiment.name} identifies messages by the first {HEAD} bytes of their "
            f"bodies; use --payload {HEAD} or more"
        )


def _slow_ones(_: Any, repetition: Repetition, measured: Exchanged) -> dict[Metric, float | None]:
    return {
        P99: of_ordered(measured.times, [0.99])[0] / 1e3,
        open_loop.LATE_SENDS: repetition.counters.get(LATE, 0.0),
        open_loop.UNANSWERED: float(repetition.lost),
        open_loop.LATEST_SEND: repetition.counters.get(LATEST_US, 0.0),
    }


AT_RATES = exchanges(_slow_ones)


def open_loop_remarks(rows: Sequence[Row]) -> list[str]:
    """Return a remark about messages that could not be sent when they were due."""
    late = []
    for row in rows:
        found = samples_of(row.each)
        many = round(sum(found.get(open_loop.LATE_SENDS.name, ())))
        if many:
            latest = formatting.duration(max(found[open_loop.LATEST_SEND.name]))
            late.append(f"{named(row, rows)} ({formatting.number(many)}, the latest by {latest})")
    if not late:
        return []
    sentence = f"Messages sent more than a millisecond late: {', '.join(late)}"
    return [f"{sentence}. Their times count from when they were due."]


REPORT_OF_AT_RATES = Report(remarks=open_loop_remarks)


def highest_kept(trials: Sequence[Record]) -> int:
    """Return the highest rate kept below all that were missed; 0 if none."""
    missed = lowest_missed(trials)
    kept = (int(one["rate"]) for one in trials if one["kept"] and (not missed or one["rate"] < missed))
    return max(kept, default=0)


def lowest_missed(trials: Sequence[Record]) -> int:
    """Return the lowest rate that was never kept; 0 if none."""
    kept = {one["rate"] for one in trials if one["kept"]}
    return min((int(one["rate"]) for one in trials if one["rate"] not in kept), default=0)


def trials_of(data: Trials) -> list[Record]:
    """Return the trials of one search.

    A record has the rate in messages per second; whether it was kept (every message was answered, 99% in
    time, by a sender that kept its schedule); the 99th percentile of the answers in microseconds (0 if
    nothing was measured); and the numbers of messages measured, sent late, and never answered.
    """
    rows = zip(data.rate, data.kept, data.p99_ns, data.answered, data.late, data.lost, strict=True)
    return [
        {
            "rate": int(rate),
            "kept": int(kept),
            "p99_us": int(p99_ns) / 1e3,
            "answered": int(answered),
            "late": int(late),
            "lost": int(lost),
        }
        for rate, kept, p99_ns, answered, late, lost in rows
    ]


def reading_of(trials: Sequence[Record]) -> Reading:
    """Return the figures of one search with all of its trials."""
    values = {
        open_loop.HIGHEST: float(highest_kept(trials)),
        open_loop.MISSED: float(lowest_missed(trials)) or None,
        open_loop.TRIES: float(len(trials)),
    }
    return reading(values, records=trials)


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading:
    return reading_of(trials_of(run.raw(repetition, Trials)))


SEARCHES = Summary(raw="search", read=_read)


def saturation_sentences(rows: Sequence[Row]) -> list[str]:
    """Return sentences with the highest rate of everything but baselines."""
    none = [row for members in found_by(rows) for row in members if not row.mean(open_loop.HIGHEST)]
    return [*usual_sentences([row for row in rows if row.mean(open_loop.HIGHEST)]), *map(_none, none)]


def _none(row: Row) -> str:
    limit = formatting.short(formatting.duration(open_loop.Limit.of(row).limit_us))
    who, none = f"{where(row)}, {subject(row).lower()}", cite("no rate", row)
    return told(f"{who} kept ", none, f" that was tried: 99% were not answered within {limit}.")


def saturation_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the 99th percentile over the rate, of all trials: a figure for each load."""
    tried = [row for row in ordered(rows) if any(one["answered"] for one in row.records)]
    loads = dict.fromkeys(row.sizes for row in tried)
    return [_chart([row for row in tried if row.sizes == load]) for load in loads]


def _chart(rows: list[Row]) -> Chart:
    across = Axis("messages per second", formatting.count)
    chart = lines_of(rows, across, Axis("99% are answered within", tick), _points)
    caption = "The median of all trials of a rate. Hollow points are rates that were not kept every time."
    load = open_loop.Limit.of(rows[0])
    body = formatting.short(formatting.size(load.payload_bytes))
    title = f"99th percentile over the rate, {at_once(rows[0])}, {body}, {load.arrivals} arrivals"
    return Chart(title, caption, chart, usual_columns(rows))


def _points(row: Row) -> list[Point]:
    """Return a point for each rate, in order."""
    by_rate: dict[int, list[Record]] = {}
    for trial in sorted(_sorted(row), key=lambda one: one["rate"]):
        if trial["answered"]:
            by_rate.setdefault(int(trial["rate"]), []).append(trial)
    return [_point(row, rate, trials) for rate, trials in by_rate.items()]


def _point(row: Row, rate: int, trials: list[Record]) -> Point:
    p99_us, missed = median(one["p99_us"] for one in trials), sum(not one["kept"] for one in trials)
    many = f" {missed} of {len(trials)} times" if len(trials) > 1 else ""
    tip = f"{formatting.number(rate)}/s: {formatting.duration(p99_us)}" + (
        f", not kept{many}" if missed else ""
    )
    return Point(x=rate, y=p99_us, tip=tip, sound=not missed, of=row.anchor)


def _sorted(row: Row) -> list[Record]:
    return sorted(row.records, key=lambda one: (one["repetition"], one["rate"]))


REPORT_OF_SEARCHES = Report(sentences=saturation_sentences, charts=saturation_charts)
