"""Sentences on an experiment's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import N_HOSTS, PLACES, SAME, by_series, subject
from formicary_bench.reports.document.figures import told, writer
from formicary_bench.reports.document.points import named, ordered
from formicary_bench.reports.document.tables import load_word
from formicary_bench.results.summary.baselines import BASELINES, typical_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.estimates import Typical
    from formicary_bench.vocabulary.metrics import Metric

_ROUTES = {"xmpp": " through XMPP", "direct": " over a direct link", "auto": " over the route auto"}


class Tile(msgspec.Struct, frozen=True):
    """A figure to be seen first.

    Attributes:
        value: The figure.
        meaning: What it measures.
        beside: How it compares.
        interval: Its 95% interval, or the two modes that the repetitions fall into; empty without either.
        known: The repetitions' values.
        write: Writes one of their values.
        of: The anchor of its row.
    """

    value: str
    meaning: str
    beside: str
    interval: str
    known: Typical
    write: Callable[[float], str]
    of: str


def tile_of(row: Row, metric: Metric, meaning: str, beside: str) -> Tile | None:
    """Return a row's figure as a tile; None if it was not measured."""
    known, write = typical_of(row, metric), writer(metric)
    if known is None:
        return None
    said = formatting.between(*map(write, known.bounds)) if known.bounds else ""
    if known.modes:
        said = f"two modes: {' and '.join(map(write, known.modes))}"
    return Tile(write(known.value), meaning, beside, said, known, write, row.anchor)


def title(experiment: str) -> str:
    known = EXPERIMENTS.get(experiment)
    return known.title if known else experiment


def source(experiment: str) -> str:
    """Return the paper and the figures that an experiment is from; empty if unknown."""
    known = EXPERIMENTS.get(experiment)
    return known.source if known else ""


def again(experiment: str) -> str:
    """Return the command that repeats an experiment as in its paper; empty if it is from none."""
    known = EXPERIMENTS.get(experiment)
    return known.again if known else ""


def found_by(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows that sentences are about, by series: ours, or else those of other platforms.

    If there are both, charts and tables have the others.
    """
    found = [row for row in rows if is_finding(row)]
    ours = [row for row in found if row.platform == "formicary"]
    return list(by_series(ours or found).values())


def remarks(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know before believing the figures."""
    uneven, lost = [], []
    for series, members in by_series(rows).items():
        sizes = dict.fromkeys(str(row.exchange.load) for row in members if row.full_load is False)
        if sizes:
            uneven.append(f"{series.label} ({', '.join(sizes)} at once)")
        missing = sum(row.lost for row in members)
        if missing:
            lost.append(f"{series.label} ({missing})")
    noted: dict[str, list[str]] = {}
    for row in ordered(rows):
        for note in row.notes:
            noted.setdefault(note, []).append(named(row, rows))
    said = []
    if uneven:
        said.append(
            f"Full load did not hold for {', '.join(uneven)}: some ended while others were still measured, "
            "so these times are optimistic."
        )
    if lost:
        said.append(f"Unanswered messages: {', '.join(lost)}.")
    return [*said, *(f"{'; '.join(dict.fromkeys(who))}: {note}" for note, who in noted.items())]


def is_finding(row: Row) -> bool:
    """Whether a row has figures and is not a baseline's."""
    return row.platform not in BASELINES and bool(row.figures)


def where(row: Row) -> str:
    """Return a row's place as the beginning of a sentence."""
    if row.placement == SAME:
        return "In one process"
    tls = " with TLS" if row.tls else ""
    many = f"{row.hosts} hosts{f' ({row.traffic})' if row.traffic else ''}"
    places = many if row.placement == N_HOSTS else PLACES.get(row.placement, row.placement)
    spread = f", with services {row.spread}" if row.spread else ""
    return f"Between {places}{_ROUTES.get(row.route, '')}{tls}{spread}"


def at_once(row: Row) -> str:
    """Return how many pairs, or senders, there are."""
    return formatting.one_or(row.exchange.load, load_word([row]))


def plural(row: Row) -> str:
    """Return a row's agents in the plural, as in `between SPADE agents`."""
    return {"micro": "micro-agents"}.get(row.kind, f"{subject(row)} agents")


def after(text: str) -> str:
    """Prefix a text with a comma, if there is one."""
    return told(", ", text) if text else ""
