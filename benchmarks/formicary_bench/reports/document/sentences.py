"""What an experiment found, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.directory.report import directory_sentence
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import APART, N_HOSTS, PLACES, SAME, by_series, subject
from formicary_bench.reports.document.points import named, ordered
from formicary_bench.results.summary.baselines import (
    BASELINES,
    baseline_of,
    median_ratio,
    rate_ratio,
    rivals_of,
)
from formicary_bench.vocabulary.names import DIRECTORY, SIZES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_ROUTES = {"xmpp": " through XMPP", "direct": " over a direct link", "auto": " by the route auto"}


class Tile(msgspec.Struct, frozen=True):
    """A figure to be seen first: its value, what it is, what it is held against."""

    value: str
    meaning: str
    beside: str


def title(experiment: str) -> str:
    """Give an experiment's title."""
    known = EXPERIMENTS.get(experiment)
    return known.title if known else experiment


def source(experiment: str) -> str:
    """Say which paper an experiment is from, with its figures there; empty where that is not known."""
    known = EXPERIMENTS.get(experiment)
    return known.source if known else ""


def sentences(experiment: str, rows: Sequence[Row], run: Sequence[Row] = ()) -> list[str]:
    """Say what an experiment found about everything that is no baseline, a sentence each.

    Args:
        experiment: Its name.
        rows: Its rows.
        run: All rows of the run, where they are held against another experiment's.
    """
    said = []
    for members in by_series(row for row in rows if _is_finding(row)).values():
        if members[0].family == DIRECTORY:
            said.append(directory_sentence(where(members[0]), members, run))
        elif members[0].agents:
            said.append(_creation(max(members, key=lambda row: row.agents), rows))
        elif experiment in SIZES:
            said.append(_size(members))
        else:
            said.append(_load(members, rows))
    return said


def remarks(rows: Sequence[Row]) -> list[str]:
    """Say what a reader must know before believing the figures."""
    uneven, lost = [], []
    for series, members in by_series(rows).items():
        sizes = dict.fromkeys(str(row.senders) for row in members if row.full_load is False)
        if sizes:
            uneven.append(f"{series.label} ({', '.join(sizes)} at once)")
        missing = sum(row.lost for row in members)
        if missing:
            lost.append(f"{series.label} ({missing})")
    notes = [f"{named(row, rows)}: {note}" for row in ordered(rows) for note in row.notes]
    said = []
    if uneven:
        said.append(
            f"Full load did not hold for {', '.join(uneven)}: some ended while others were still measured, "
            "so these times are too good."
        )
    if lost:
        said.append(f"Messages that were never answered: {', '.join(lost)}.")
    return [*said, *dict.fromkeys(notes)]


def tiles(rows: Sequence[Row]) -> list[Tile]:
    """Choose the figures to be seen first."""
    found: list[Tile] = []
    ours = (row for row in rows if row.platform == "formicary" and _is_finding(row))
    pairs = [row for row in ours if row.experiment == "messaging/pairs"]
    plain = [row for row in pairs if row.kind == "behaviours" and not row.tls]
    for placement, route in ((SAME, "in-process"), (APART, "direct"), (APART, "xmpp")):
        members = [row for row in plain if (row.placement, row.route) == (placement, route)]
        if members:
            found += _pair_tiles(members, rows)
    created = [row for row in rows if row.agents and row.kind == "behaviours" and row.agents_per_s]
    if created:
        row = max(created, key=lambda row: row.agents)
        beside = f"each holds {formatting.size(row.bytes_per_agent)}"
        found.append(Tile(f"{formatting.count(row.agents_per_s)}/s", "agents created and started", beside))
    return [*found, *_search_tiles(rows)]


def _is_finding(row: Row) -> bool:
    """Whether a row says something, and not about a floor."""
    return row.platform not in BASELINES and (row.rtt_p50_us is not None or row.agents_per_s is not None)


def _pair_tiles(members: list[Row], rows: Sequence[Row]) -> list[Tile]:
    few, many = _fewest(members), _most(members)
    place = where(few)
    place = place[0].lower() + place[1:]
    return [
        Tile(
            formatting.duration(few.rtt_p50_us),
            f"a message and its answer {place}, {_at_once(few)}",
            _median_against(few, rows),
        ),
        Tile(
            f"{formatting.count(many.round_trips_per_s)}/s",
            f"round trips {place}, {_at_once(many)}",
            _rate_against(many, rows),
        ),
    ]


def _search_tiles(rows: Sequence[Row]) -> list[Tile]:
    searches = [row for row in rows if row.experiment == "directory/search" and _is_finding(row)]
    replica = [row for row in searches if row.kind == "replica" and row.placement == SAME]
    if not replica:
        return []
    row = max(replica, key=lambda row: row.services)
    meaning = f"a search in a replica with {formatting.number(row.services)} services"
    return [Tile(formatting.duration(row.rtt_p50_us), meaning, _median_against(row, rows))]


def _load(members: list[Row], rows: Sequence[Row]) -> str:
    few, many = _fewest(members), _most(members)
    between = "" if few.kind == "behaviours" else f" between {_plural(few)}"
    said = (
        f"{where(few)}, a message and its answer{between} take {formatting.duration(few.rtt_p50_us)} "
        f"with {_at_once(few)} (median{_after(_median_against(few, rows))})"
    )
    if many.round_trips_per_s is None:
        return f"{said}."
    make = "that is" if many is few else f"{_at_once(many)} make"
    return (
        f"{said}; {make} {formatting.count(many.round_trips_per_s)} round trips per second"
        f"{_after(_rate_against(many, rows))}."
    )


def _size(members: list[Row]) -> str:
    small = min(members, key=lambda row: row.payload_bytes)
    large = max(members, key=lambda row: row.payload_bytes)
    between = "" if small.kind == "behaviours" else f" between {_plural(small)}"
    said = (
        f"{where(small)}, with {_at_once(small)}, a message of {_body(small)} and its "
        f"answer{between} take {formatting.duration(small.rtt_p50_us)} (median)"
    )
    if small is large:
        return f"{said}."
    return f"{said}, one of {_body(large)} takes {formatting.duration(large.rtt_p50_us)}."


def _creation(row: Row, rows: Sequence[Row]) -> str:
    name = "Agents with one waiting behaviour" if row.kind == "behaviours" else subject(row)
    return (
        f"{name} are created and started at {formatting.count(row.agents_per_s)} per second"
        f"{_after(_rate_against(row, rows))}; each holds {formatting.size(row.bytes_per_agent)}."
    )


def _median_against(row: Row, rows: Sequence[Row]) -> str:
    base = baseline_of(row, rows)
    beside = [(base, f"what {_floor(base)} take")] if base else []
    beside += [(rival, f"what {subject(rival)} takes") for rival in rivals_of(row, rows)]
    ratios = ((median_ratio(row, other), name) for other, name in beside)
    return _listed(
        row, [formatting.compared(ratio.mean, name) for ratio, name in ratios if ratio is not None]
    )


def _rate_against(row: Row, rows: Sequence[Row]) -> str:
    base = baseline_of(row, rows)
    # Not "two bare tasks": there are as many as there are pairs.
    beside = [(base, f"the rate of {_floor(base).removeprefix('two ')}")] if base else []
    beside += [(rival, f"that of {subject(rival)}") for rival in rivals_of(row, rows)]
    ratios = ((rate_ratio(row, other), name) for other, name in beside)
    return _listed(
        row, [formatting.compared(ratio.mean, name) for ratio, name in ratios if ratio is not None]
    )


def _floor(base: Row) -> str:
    return BASELINES.get(base.platform, "a message and its answer") + (" with TLS" if base.tls else "")


def _listed(row: Row, comparisons: list[str]) -> str:
    doubt = ["full load not held"] if row.full_load is False else []
    return ", ".join(comparisons + doubt)


def where(row: Row) -> str:
    """Say where something takes place, as the beginning of a sentence."""
    if row.placement == SAME:
        return "In one process"
    tls = " with TLS" if row.tls else ""
    many = f"{row.hosts} hosts{f' ({row.traffic})' if row.traffic else ''}"
    places = many if row.placement == N_HOSTS else PLACES.get(row.placement, row.placement)
    spread = f", with services {row.spread}" if row.spread else ""
    return f"Between {places}{_ROUTES.get(row.route, '')}{tls}{spread}"


def _body(row: Row) -> str:
    return formatting.short(formatting.size(row.payload_bytes))


def _at_once(row: Row) -> str:
    word = "sender" if row.experiment == "messaging/many-to-one" else "pair"
    return f"one {word}" if row.senders == 1 else f"{row.senders} {word}s"


def _plural(row: Row) -> str:
    return {"micro": "micro-agents"}.get(row.kind, f"{subject(row)} agents")


def _after(text: str) -> str:
    return f", {text}" if text else ""


def _fewest(members: list[Row]) -> Row:
    return min(members, key=lambda row: (row.senders, row.payload_bytes))


def _most(members: list[Row]) -> Row:
    # Of the smallest body: a comparison of loads must not become one of sizes.
    return max(members, key=lambda row: (row.senders, -row.payload_bytes))
