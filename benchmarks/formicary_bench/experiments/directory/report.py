"""What the experiments with the directory found, in words and in charts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments.directory import SEEN
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import (
    Chart,
    against,
    dots,
    intervals,
    typical_columns,
    values,
)
from formicary_bench.reports.document.citing import cite, joined, told
from formicary_bench.reports.document.factors import all_of, listed, said
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import Tile, found_by, is_finding, tile_of, where
from formicary_bench.reports.document.tables import Column
from formicary_bench.reports.document.usual import usual_charts, usual_columns
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.vocabulary.metrics import TIME
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
    if first.size("containers"):
        return told(
            f"{where}, a registration {at} is seen by others, and their messages about it are back, ",
            _listed("after ", takes),
            ", at the median",
            held,
            ".",
        )
    use = _USES.get(first.experiment, first.experiment)
    seen = [told(cite(value_of(row, SEEN), row)) for row in extremes if row.mean(SEEN) is not None]
    later = [told("; others see it, and have told, after ", joined(" and ", seen))] if seen else []
    return told(f"{where}, {use} {at} takes ", _listed("", takes), ", at the median", held, *later, ".")


def directory_charts(found: Findings) -> list[Chart]:
    """Show what varies with how many services there are, or how many containers are to learn of one."""
    known, run = [row for row in found if row.estimate(TIME)], found.run
    if not known:
        return []
    if any(row.size("containers") for row in known):
        return [*_by_containers(known), *_times(known, run)]
    return [*_by_services(known), *_times(known, run)]


def _extremes(members: Sequence[Row]) -> list[Row]:
    """Return the smallest and the largest of what was measured, which may be one."""
    ordered = sorted(members, key=_size)
    return ordered[:: max(len(ordered) - 1, 1)]


def _found(row: Row) -> str:
    """Say how long a use takes."""
    number, what = (
        (row.size("containers"), "container") if row.size("containers") else (row.size("services"), "service")
    )
    many = f"{formatting.number(number) if number else 'no'} {what}{'' if number == 1 else 's'}"
    return told(cite(value_of(row, TIME), row), f" with {many}")


def _held(extremes: Sequence[Row], run: Sequence[Row]) -> str:
    """Hold uses against a message, as the end of a sentence; empty without one."""
    name = "a message and its answer"
    found = [one for row in extremes if (one := against_message(row, run, name))]
    # What is said of both is said once; where it is not the same, the message is named once.
    last = [replace(one, name="that") if found[0].ratio and one.ratio else one for one in found[1:]]
    return told(": ", listed([*found[:1], *last])) if found else ""


def _listed(before: str, said: Sequence[str]) -> str:
    return joined(" and ", [told(before, one) for one in said])


def _size(row: Row) -> tuple[int, int]:
    return row.size("containers"), row.size("services")


def _by_services(rows: Sequence[Row]) -> list[Chart]:
    """Make a chart of times against services; none registered has a place of its own at the left."""
    several = sorted({row.size("services") for row in rows})
    if len(several) == 1:
        return []
    least = next(number for number in several if number)

    def place(row: Row) -> float:
        return float(row.size("services") or least / 10)

    def text(value: int) -> str:
        return "0" if value < least else formatting.short(formatting.count(value))

    chart = against(rows, place, "services registered before", text, y_title="mean time")
    caption = f"Mean time of one use by one agent. {intervals(rows)}"
    table = values(rows, "services", lambda row: formatting.number(row.size("services")))
    return [Chart(titled("Time against services registered before", rows), caption, chart, table)]


def _by_containers(rows: Sequence[Row]) -> list[Chart]:
    if len({row.size("containers") for row in rows}) == 1:
        return []
    chart = against(rows, lambda row: row.size("containers"), "other containers", str, y_title="mean time")
    caption = (
        "Mean time until all others have seen a registration and have told, in one process with each other. "
        f"{intervals(rows)}"
    )
    table = values(rows, "seen by", lambda row: str(row.size("containers")))
    return [Chart("Time against containers that are to see it", caption, chart, table)]


def _times(rows: Sequence[Row], run: Sequence[Row]) -> list[Chart]:
    """Make a chart of times with the most that was measured, all placements on one scale."""
    most = max(map(_size, rows))
    top = [row for row in rows if _size(row) == most]

    def text(row: Row) -> str:
        found = against_message(row, run)
        return said(found) if found else ""

    chart = dots(top, TIME, text)
    name = f"Median time with {formatting.number(top[0].size('services'))} services"
    if most[0]:
        name = f"Median time until {most[0]} other container{'s have' if most[0] > 1 else ' has'} seen it"
    caption = f"Less is better. A message is one to another agent with its answer. {intervals(top)}"
    return [Chart(name, caption, chart, typical_columns(top, TIME))]


def against_message(row: Row, run: Sequence[Row], name: str = "a message") -> Factor | None:
    """Return how fast a use of the directory is beside a message and its answer, which `name` calls."""
    message = baseline_of(row, run)
    found = factor(row, message, TIME) if message else None
    return found and replace(found, name=name)


def use_columns(found: Findings) -> list[Column]:
    """Return the table of uses of the directory, held against a message and its answer."""
    rows, columns = ordered(found), usual_columns(found)
    cells = [against_message(row, found.run) for row in rows]
    held = Column("against a message", tuple(said(one) if one else "" for one in cells))
    return [*columns, *([held] if any(cells) else [])]


def _sentences(found: Findings) -> list[str]:
    return [directory_sentence(where(members[0]), members, found.run) for members in found_by(found)]


def _tiles(found: Findings) -> list[Tile]:
    searches = [row for row in found if is_finding(row)]
    replica = [row for row in searches if row.kind == "replica" and row.placement == SAME]
    if not replica:
        return []
    row = max(replica, key=lambda row: row.size("services"))
    meaning = f"a search in a replica with {formatting.number(row.size('services'))} services"
    tile = tile_of(row, TIME, meaning, all_of(row, found.run, TIME))
    return [tile] if tile else []


def _churn_charts(rows: Sequence[Row]) -> list[Chart]:
    charts = usual_charts(rows)
    caption = (
        "Agents of four containers in two processes that are started, register and end. In replicas, all "
        "containers have seen them; the central directory has confirmed them."
    )
    return [replace(chart, caption=f"{caption} {chart.caption}") for chart in charts]


USES = Report(columns=use_columns, sentences=_sentences, charts=directory_charts)
SEARCHES = dataclasses.replace(USES, tiles=_tiles)
CHURN = Report(charts=_churn_charts)
