"""What the experiments with the directory found, in words and in charts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import (
    Chart,
    against,
    dots,
    intervals,
    tick,
    typical_columns,
    values,
)
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.citing import cite, joined, told
from formicary_bench.reports.document.factors import all_of, listed, said
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import Tile, found_by, is_finding, tile_of, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.results.summary.each import CREATION, TIME
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.vocabulary.placements import SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.document.findings import Findings
    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor

_AT = {"replica": "in the replica", "central": "at the central directory", "lookup": "at the look-up server"}
_USES = {
    "directory/register": "registering a service",
    "directory/deregister": "taking a service back",
    "directory/search": "a search for the services of a type",
}


def directory_sentence(where: str, members: Sequence[Row], run: Sequence[Row]) -> str:
    """Say what an experiment found about one design of the directory.

    Args:
        where: Where that was, as the beginning of a sentence.
        members: The rows of one design, all used on the same way.
        run: All rows of the run.
    """
    first = members[0]
    at = _AT.get(first.kind, f"in the directory {first.kind}")
    extremes = _extremes(members)
    takes = [_found(row) for row in extremes]
    held = _held(extremes, run)
    if first.containers:
        return told(
            f"{where}, a registration {at} is seen by others, and their messages about it are back, ",
            _listed("after ", takes),
            ", at the median",
            held,
            ".",
        )
    use = _USES.get(first.experiment, first.experiment)
    return told(f"{where}, {use} {at} takes ", _listed("", takes), ", at the median", held, ".")


def directory_charts(found: Findings) -> list[Chart]:
    """Show what varies with how many services there are, or how many containers are to learn of one."""
    known, run = [row for row in found if row.rtt_p50_us is not None], found.run
    if not known:
        return []
    if any(row.containers for row in known):
        return [*_by_containers(known), *_times(known, run)]
    return [*_by_services(known), *_times(known, run)]


def _extremes(members: Sequence[Row]) -> list[Row]:
    """Return the smallest and the largest of what was measured, which may be one."""
    ordered = sorted(members, key=_size)
    return ordered[:: max(len(ordered) - 1, 1)]


def _found(row: Row) -> str:
    """Say how long a use takes."""
    number, what = (row.containers, "container") if row.containers else (row.services, "service")
    many = f"{formatting.number(number) if number else 'no'} {what}{'' if number == 1 else 's'}"
    return told(cite(formatting.duration(row.rtt_p50_us), row), f" with {many}")


def _held(extremes: Sequence[Row], run: Sequence[Row]) -> str:
    """Hold uses against a message, as the end of a sentence; empty without one."""
    name = "a message and its answer"
    found = [one for row in extremes if (one := against_message(row, run, name))]
    # What is said of both is said once; where it is not the same, the message is named once.
    last = [replace(one, name="that") if found[0].ratio and one.ratio else one for one in found[1:]]
    return told(": ", listed([*found[:1], *last])) if found else ""


def _listed(before: str, said: Sequence[str]) -> str:
    return joined(" and ", [told(before, one) for one in said])


def _churn(where: str, at: str, row: Row) -> str:
    seen = ", are seen by all four containers" if row.kind == "replica" else ""
    return told(
        where,
        cite(formatting.count(row.agents_per_s), row),
        f" agents per second are started, register {at}{seen}, "
        f"and end ({formatting.number(row.agents)} agents in all).",
    )


def _size(row: Row) -> tuple[int, int]:
    return row.containers, row.services


def _by_services(rows: Sequence[Row]) -> list[Chart]:
    """Make a chart of times against services; none registered has a place of its own at the left."""
    several = sorted({row.services for row in rows})
    if len(several) == 1:
        return []
    least = next(number for number in several if number)

    def place(row: Row) -> float:
        return row.services or least / 10

    def text(value: int) -> str:
        return "0" if value < least else formatting.short(formatting.count(value))

    chart = against(rows, place, "services registered before", text, "mean time")
    caption = f"Mean time of one use by one agent. {intervals(rows)}"
    table = values(rows, "services", lambda row: formatting.number(row.services))
    return [Chart(titled("Time against services registered before", rows), caption, chart, table)]


def _by_containers(rows: Sequence[Row]) -> list[Chart]:
    if len({row.containers for row in rows}) == 1:
        return []
    chart = against(rows, lambda row: row.containers, "other containers", str, "mean time")
    caption = (
        "Mean time until all others have seen a registration and have told, in one process with each other. "
        f"{intervals(rows)}"
    )
    table = values(rows, "seen by", lambda row: str(row.containers))
    return [Chart("Time against containers that are to see it", caption, chart, table)]


def _times(rows: Sequence[Row], run: Sequence[Row]) -> list[Chart]:
    """Make a chart of times with the most that was measured, all placements on one scale."""
    most = max(map(_size, rows))
    top = [row for row in rows if _size(row) == most]

    def text(row: Row) -> str:
        found = against_message(row, run)
        return said(found) if found else ""

    chart = dots(top, TIME, "median time", tick, text)
    name = f"Median time with {formatting.number(top[0].services)} services"
    if most[0]:
        name = f"Median time until {most[0]} other container{'s have' if most[0] > 1 else ' has'} seen it"
    caption = f"Less is better. A message is one to another agent with its answer. {intervals(top)}"
    return [Chart(name, caption, chart, typical_columns(top, TIME, formatting.duration))]


def _churn_chart(rows: Sequence[Row]) -> Chart:
    most = max(row.agents for row in rows)
    top = [row for row in rows if row.agents == most]

    def write(value: float) -> str:
        return f"{formatting.short(formatting.count(value))}/s"

    chart = dots(top, CREATION, "agents per second", write)
    caption = (
        "Agents of four containers in two processes that are started, register and end. In replicas, all "
        f"containers have seen them; the central directory has confirmed them. {intervals(top)}"
    )
    return Chart(
        f"Registered per second, {formatting.number(most)} agents", caption, chart, churn_columns(top)
    )


def use_columns(unordered: Sequence[Row], run: Sequence[Row]) -> list[Column]:
    """Return the table of uses of the directory."""
    rows = ordered(unordered)
    others = [str(row.containers) for row in rows]
    messages = [against_message(row, run) for row in rows]
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("services", tuple(formatting.number(row.services) for row in rows)),
        *([Column("seen by", tuple(others))] if any(row.containers for row in rows) else []),
        Column("mean", tuple(or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in rows)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in rows)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in rows)),
        Column("against a message", tuple(said(one) if one else "" for one in messages)),
    ]


def against_message(row: Row, run: Sequence[Row], name: str = "a message") -> Factor | None:
    """Return how fast a use of the directory is beside a message and its answer, which `name` calls."""
    message = baseline_of(row, run)
    found = factor(row, message, TIME) if message else None
    return found and replace(found, name=name)


def churn_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of agents that register and end."""
    rows = ordered(unordered)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("agents", tuple(formatting.number(row.agents) for row in rows)),
        Column("registered/s", tuple(or_invalid(row, formatting.count(row.agents_per_s)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.agents_per_s, row.agents_per_s_ci95) for row in rows)),
    ]


def _columns(found: Findings) -> list[Column]:
    return [*use_columns(found, found.run), *stability_column(ordered(found))]


def _sentences(found: Findings) -> list[str]:
    return [directory_sentence(where(members[0]), members, found.run) for members in found_by(found)]


def _tiles(found: Findings) -> list[Tile]:
    searches = [row for row in found if is_finding(row)]
    replica = [row for row in searches if row.kind == "replica" and row.placement == SAME]
    if not replica:
        return []
    row = max(replica, key=lambda row: row.services)
    meaning = f"a search in a replica with {formatting.number(row.services)} services"
    tile = tile_of(row, TIME, formatting.duration, meaning, all_of(row, found.run, TIME))
    return [tile] if tile else []


def _churn_columns(rows: Sequence[Row]) -> list[Column]:
    return [*churn_columns(rows), *stability_column(ordered(rows))]


def _churn_sentences(rows: Sequence[Row]) -> list[str]:
    most = (max(members, key=lambda row: row.agents) for members in found_by(rows))
    return [_churn(f"{where(row)}, ", _AT.get(row.kind, f"in the directory {row.kind}"), row) for row in most]


def _churn_charts(rows: Sequence[Row]) -> list[Chart]:
    known = [row for row in rows if row.agents_per_s is not None]
    return [_churn_chart(known)] if known else []


USES = Report(columns=_columns, sentences=_sentences, charts=directory_charts)
SEARCHES = dataclasses.replace(USES, tiles=_tiles)
CHURN = Report(columns=_churn_columns, sentences=_churn_sentences, charts=_churn_charts)
