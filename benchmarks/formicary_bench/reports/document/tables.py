"""The rows of an experiment as a table of words, for every format that has tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import PLACES, by_series, label
from formicary_bench.results.summary.baselines import baseline_of, comparisons_of, median_ratio, rate_ratio
from formicary_bench.vocabulary.names import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.intervals import Interval

UNEVEN = "not held"
"""What the table says of a row that did not hold full load."""


NOT_VALID = "not valid"
"""What the table says in the place of a figure of a row that was disturbed."""


class Column(msgspec.Struct, frozen=True):
    """A column of words: its title, its cells, whether they are names (or figures).

    `minor` columns may be left out where there is little room.
    """

    title: str
    cells: tuple[str, ...]
    names: bool = False
    minor: bool = False


class Extra(msgspec.Struct, frozen=True):
    """A further table: its title, its columns, and what a reader should know of it.

    `minor` tables may be left out where there is little room.
    """

    title: str
    columns: list[Column]
    remark: str = ""
    minor: bool = False


def by_experiment(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Sort rows by experiment, in the order in which they come."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.experiment, []).append(row)
    return groups


def columns_of(rows: Sequence[Row], run: Sequence[Row] = ()) -> list[Column]:
    """Give the table of one experiment's rows.

    Args:
        rows: The rows.
        run: All rows of the run, where they are held against another experiment's.
    """
    labelled = [(series.label, row) for series, members in by_series(rows).items() for row in members]
    ordered = [row for _, row in labelled]
    who = Column("who", tuple(label for label, _ in labelled), names=True)
    against = Column("against baseline", tuple(against_baseline(row, rows) for row in ordered))
    if ordered[0].family == DIRECTORY:
        return [who, *(_churn(ordered) if ordered[0].agents else _uses(ordered, run))]
    figures_of = _creation if all(row.agents for row in rows) else _messages
    return [who, *figures_of(ordered), against, *_checks(ordered)]


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Say how many times its baseline's rate a row has: `0.87 of tasks`; empty without a baseline."""
    base = baseline_of(row, rows)
    ratio = rate_ratio(row, base) if base else None
    if base is None or ratio is None:
        return ""
    return formatting.compared(ratio.mean, f"{base.platform} with TLS" if base.tls else base.platform)


def ratio_columns(rows: Sequence[Row]) -> list[Column]:
    """Give the table that holds links between containers against all that says something about them.

    Empty where there is nothing of the kind.
    """
    ordered = [row for members in by_series(rows).values() for row in members]
    found = [comparison for row in ordered for comparison in comparisons_of(row, rows)]
    if not found:
        return []
    ours = [comparison.row for comparison in found]
    many = any(row.experiment == "messaging/many-to-one" for row in rows)
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in ours)
    return [
        Column("who", tuple(label(row) for row in ours), names=True),
        Column("senders" if many else "pairs", tuple(str(row.senders) for row in ours)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        Column("held against", tuple(label(one.base) for one in found), names=True),
        *_ratio("times its rate", [one.rate for one in found]),
        *_ratio("times its median", [one.median for one in found]),
    ]


def _ratio(title: str, ratios: Sequence[Interval | None]) -> list[Column]:
    return [
        Column(title, tuple(formatting.times(one.mean) if one else formatting.NOTHING for one in ratios)),
        Column("95%", tuple(_spread(one) for one in ratios)),
    ]


def _spread(ratio: Interval | None) -> str:
    """Give half a ratio's interval; nothing where there is none, as one of both figures has none."""
    if ratio is None or not ratio.half_width:
        return ""
    return formatting.spread(ratio.mean, (ratio.low, ratio.high))


def _messages(rows: Sequence[Row]) -> list[Column]:
    many = any(row.experiment == "messaging/many-to-one" for row in rows)
    bodies = [formatting.short(formatting.size(row.payload_bytes)) for row in rows]
    same_size = len(set(bodies)) == 1
    rates = [formatting.spread(row.round_trips_per_s, row.round_trips_per_s_ci95) for row in rows]
    return [
        Column(
            "where", tuple(PLACES.get(row.placement, row.placement) for row in rows), names=True, minor=True
        ),
        Column("senders" if many else "pairs", tuple(str(row.senders) for row in rows)),
        Column("body", tuple(bodies), minor=same_size),
        Column("mean", tuple(_or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in rows)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in rows)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in rows)),
        Column("trips/s", tuple(formatting.count(row.round_trips_per_s) for row in rows)),
        Column("95% of trips/s", tuple(rates), minor=True),
    ]


def _creation(rows: Sequence[Row]) -> list[Column]:
    return [
        Column("agents", tuple(str(row.agents) for row in rows)),
        Column("created/s", tuple(_or_invalid(row, formatting.count(row.agents_per_s)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.agents_per_s, row.agents_per_s_ci95) for row in rows)),
        Column("each holds", tuple(formatting.size(row.bytes_per_agent) for row in rows)),
    ]


def _or_invalid(row: Row, figure: str) -> str:
    """Give a figure, or, where it would say nothing, that it is not valid."""
    return NOT_VALID if row.invalid else figure


def _uses(rows: Sequence[Row], run: Sequence[Row]) -> list[Column]:
    """Give the columns of uses of the directory."""
    others = [str(row.containers) for row in rows]
    messages = [against_message(row, run) for row in rows]
    return [
        Column("services", tuple(formatting.number(row.services) for row in rows)),
        *([Column("seen by", tuple(others))] if any(row.containers for row in rows) else []),
        Column("mean", tuple(_or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in rows)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in rows)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in rows)),
        Column("times a message", tuple(formatting.times(one.mean) if one else "" for one in messages)),
    ]


def against_message(row: Row, run: Sequence[Row]) -> Interval | None:
    """Give how many times the median time of a message and its answer a use of the directory takes."""
    message = baseline_of(row, run)
    return median_ratio(row, message) if message else None


def _churn(rows: Sequence[Row]) -> list[Column]:
    return [
        Column("agents", tuple(formatting.number(row.agents) for row in rows)),
        Column("registered/s", tuple(_or_invalid(row, formatting.count(row.agents_per_s)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.agents_per_s, row.agents_per_s_ci95) for row in rows)),
    ]


def _checks(rows: Sequence[Row]) -> list[Column]:
    """Give the column about full load, which matters most where it did not hold."""
    words = {True: "held", False: UNEVEN, None: ""}
    cells = tuple(words[row.full_load] for row in rows)
    return [Column("full load", cells, minor=UNEVEN not in cells)] if any(cells) else []
