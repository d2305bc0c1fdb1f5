"""Which charts show an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.directory.report import directory_charts
from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.plots import Chart, against, bars, beside, intervals, tick, values
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.reports.charts.svg_charts import Lines, Point
from formicary_bench.reports.document.cpu import name, process_name
from formicary_bench.reports.document.families import (
    charts,
    columns,
    extras,
    full_heading,
    heading,
    is_profiled,
    parts,
    said,
    to_know,
)
from formicary_bench.reports.document.hosts import voided_digest
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.sentences import source
from formicary_bench.reports.document.tables import Column, Extra, against_baseline, columns_of, ratio_columns
from formicary_bench.results.summary.cpu import RULES
from formicary_bench.results.summary.summary import digests
from formicary_bench.vocabulary.names import DIRECTORY, ENCRYPTION, SIZES, family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.row import Digest, Row, Tail

_TAIL_MARKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
_SAME = 1e-9
_EMPTY = 0.5  # where no bytes at all are on an axis that has no zero
_MEAN_TIME = "Mean time from a send to the arrival of its answer."


class Flame(msgspec.Struct, frozen=True):
    """A flame graph: its title, and the drawing."""

    title: str
    svg: str


class Section(msgspec.Struct, frozen=True):
    """What a report shows of one experiment."""

    experiment: str
    title: str
    source: str
    heading: str
    sentences: list[str]
    remarks: list[str]
    charts: list[Chart]
    columns: list[Column]
    ratios: list[Column]
    extras: list[Extra]
    flames: list[Flame]


def sections_of(run: RunFolder) -> list[Section]:
    """Give a section for each experiment of a run.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    return sections([voided_digest(digest) for digest in digests(run)])


def sections(found: Sequence[Digest]) -> list[Section]:
    """Give a section for each experiment of a run, of its digests."""
    run = [digest.row for digest in found if not digest.row.profiled]
    return [
        Section(
            experiment=experiment,
            title=heading(experiment, rows),
            source=source(experiment),
            heading=full_heading(experiment, rows),
            sentences=said(experiment, rows, run),
            remarks=to_know(rows),
            charts=_charts(experiment, [digest for digest in found if digest.row in rows], run),
            columns=columns(experiment, rows, run),
            ratios=ratio_columns(rows),
            extras=extras(experiment, rows, run),
            flames=[one for digest in found if digest.row in rows for one in _flames(digest)],
        )
        for experiment, rows in parts(digest.row for digest in found)
    ]


def _flames(digest: Digest) -> list[Flame]:
    """Draw the stacks of the last repetition of a profiled configuration."""
    if not digest.profiles or not is_profiled([digest.row]):
        return []
    from formicary.profiling.analysis.flame import flame

    return [
        Flame(f"{name(digest.row)}, {process_name(role)}", flame(profile, RULES))
        for role, profile in digest.profiles.items()
        if any(process.stacks for process in profile.processes)
    ]


def _charts(experiment: str, digests: list[Digest], run: Sequence[Row]) -> list[Chart]:
    rows = [digest.row for digest in digests]
    if family_of(experiment) == DIRECTORY and not is_profiled(rows):
        return directory_charts(rows, run)
    if (own := charts(experiment, rows, run)) is not None:
        return own
    if experiment == "create":
        return _creation(rows)
    if experiment in SIZES:
        return _by_size(digests)
    if experiment == ENCRYPTION:
        return _encryption(digests)
    panels = _split(digests, lambda row: row.payload_bytes)
    many = experiment == "messaging/many-to-one"
    word = "sender" if many else "pair"
    return [figure for size, panel in panels.items() for figure in _loads(panel, size, word)]


def _by_size(digests: list[Digest]) -> list[Chart]:
    panels = _split(digests, lambda row: row.senders)
    return [figure for load, panel in panels.items() for figure in _sizes(panel, load)]


def _encryption(digests: list[Digest]) -> list[Chart]:
    """Show one pair by size, and of each size of which there are several numbers of pairs, these."""
    found = []
    for load, panel in _split(digests, lambda row: row.senders).items():
        if load == 1 and len({digest.row.payload_bytes for digest in panel}) > 1:
            found += _sizes(panel, load)
    by_load = _split(digests, lambda row: row.payload_bytes)
    several = {
        size: panel for size, panel in by_load.items() if len({digest.row.senders for digest in panel}) > 1
    }
    # Where nothing varies, or sizes of several pairs alone, what there is is shown by size.
    for size, panel in (several or ({} if found else by_load)).items():
        found += _loads(panel, size, "pair")
    return found


def _split(digests: list[Digest], by: Callable[[Row], int]) -> dict[int, list[Digest]]:
    """Split what differs in a second parameter into panels of its own."""
    panels: dict[int, list[Digest]] = {}
    for digest in digests:
        if digest.row.rtt_p50_us is not None:
            panels.setdefault(by(digest.row), []).append(digest)
    return panels


def _loads(digests: list[Digest], size: int, word: str) -> list[Chart]:
    """Show what varies with the number of pairs or senders."""
    rows = [digest.row for digest in digests]
    body = formatting.short(formatting.size(size))
    loads = sorted({row.senders for row in rows})
    found = []
    if len(loads) > 1:
        found.append(
            Chart(
                titled(f"Round-trip time against {word}s ({body})", rows),
                f"{_MEAN_TIME} {intervals(rows)}",
                against(rows, lambda row: row.senders, f"{word}s at once", str),
                values(rows, word + "s", lambda row: str(row.senders)),
            )
        )
    top = [row for row in rows if row.senders == loads[-1]]
    found.append(_rates(top, f"Round trips per second, {_many(loads[-1], word)} ({body})"))
    # The extremes: alone, where the path itself shows, and crowded, where queues do.
    found += [
        _tails(
            [digest for digest in digests if digest.row.senders == load],
            f"Distribution of round-trip times, {_many(load, word)} ({body})",
        )
        for load in dict.fromkeys((loads[0], loads[-1]))
    ]
    return found


def _sizes(digests: list[Digest], load: int) -> list[Chart]:
    """Show what varies with the size of a message."""
    rows = [digest.row for digest in digests]

    def body(size: float) -> str:
        return formatting.short(formatting.size(int(size)))

    largest = max(row.payload_bytes for row in rows)
    found = []
    if len({row.payload_bytes for row in rows}) > 1:
        found.append(
            Chart(
                titled(f"Round-trip time against size of the body, {_many(load, 'pair')}", rows),
                f"{_MEAN_TIME} {intervals(rows)}",
                against(rows, lambda row: row.payload_bytes or _EMPTY, "bytes in the body", body),
                values(rows, "body", lambda row: body(row.payload_bytes)),
            )
        )
    top = [row for row in rows if row.payload_bytes == largest]
    return [*found, _rates(top, f"Round trips per second with {body(largest)}, {_many(load, 'pair')}")]


def _creation(rows: list[Row]) -> list[Chart]:
    """Show what agents cost before they have said a word."""
    known = [row for row in rows if row.agents_per_s is not None]
    if not known:
        return []
    most = max(row.agents for row in known)
    top = [row for row in known if row.agents == most]
    name = f"{most:,}".replace(",", " ")
    speed = bars(
        top,
        lambda row: row.agents_per_s,
        lambda row: row.agents_per_s_ci95,
        lambda row: beside(f"{formatting.count(row.agents_per_s)}/s", against_baseline(row, rows)),
    )
    space = bars(
        top, lambda row: row.bytes_per_agent, lambda _: None, lambda row: formatting.size(row.bytes_per_agent)
    )
    columns = columns_of(top)
    return [
        Chart(f"Created and started per second, {name} agents", intervals(top), speed, columns),
        Chart(f"Memory that each holds, {name} agents", "Less is better.", space, columns),
    ]


def _tails(digests: list[Digest], name: str) -> Chart:
    """Make a chart of percentiles in which every nine takes the same room."""
    tails = {digest.row: digest.tail for digest in digests if digest.tail is not None}
    lines = {
        series: _curve(tails[row]) for series, members in by_series(tails).items() for row in members[:1]
    }
    points = [point for line in lines.values() for point in line]
    chart = Lines(
        "part of all round trips",
        "takes at most",
        scales.tail([point.x for point in points], formatting.part),
        scales.logarithmic([point.y for point in points], tick),
        lines,
        scales.linear([0, *(point.y for point in points)], tick),
    )
    caption = "How long the slow ones take. Each step to the right leaves out a tenth of what was left."
    return Chart(name, caption, chart, _tail_columns([digest.row for digest in digests]))


def _curve(tail: Tail) -> list[Point]:
    return [
        Point(
            x=p,
            y=value,
            tip=f"{formatting.part(p)} take at most {formatting.duration(value)}",
            marked=any(abs(p - mark) < _SAME for mark in _TAIL_MARKS),
        )
        for p, value in zip(tail.probabilities, tail.values_us, strict=True)
    ]


def _rates(rows: list[Row], name: str) -> Chart:
    """Make a chart of rates, each placement on a scale of its own."""
    chart = bars(
        rows,
        lambda row: row.round_trips_per_s,
        lambda row: row.round_trips_per_s_ci95,
        lambda row: beside(f"{formatting.count(row.round_trips_per_s)}/s", against_baseline(row, rows)),
    )
    caption = f"All pairs together, counted while all of them are measured. {intervals(rows)}"
    return Chart(name, caption, chart, columns_of(rows))


def _tail_columns(rows: Iterable[Row]) -> list[Column]:
    ordered = [row for members in by_series(rows).values() for row in members]
    kinds = {"fastest": "min", "50%": "p50", "90%": "p90", "99%": "p99", "99.9%": "p999", "slowest": "max"}
    return [
        Column("who", tuple(label(row) for row in ordered), names=True),
        *(
            Column(name, tuple(formatting.duration(getattr(row, f"rtt_{field}_us")) for row in ordered))
            for name, field in kinds.items()
        ),
    ]


def _many(number: int, word: str) -> str:
    return f"one {word}" if number == 1 else f"{number} {word}s"
