"""What is compared: its name, its colour and its mark, the same in every chart and table of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.baselines import BASELINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.results.summary import Row

SAME, APART = "same-container", "two-containers"

PLACES = {SAME: "one process", APART: "two processes"}
"""Placements as a reader says them."""

_SUBJECTS = {
    ("formicary", "behaviours"): "Agents",
    ("formicary", "micro"): "Micro-agents",
    ("formicary", ""): "Formicary",
    ("tasks", ""): "asyncio tasks",
    ("callbacks", ""): "Callbacks",
    ("tcp", ""): "TCP sockets",
    ("spade", ""): "SPADE",
}

_ROUTES = {"prosody": "Prosody", "tcp": "TCP", "in-process": "", "none": ""}

# The style sheet gives each letter a colour, light and dark. Marks and dashes say the same without colour.
_STYLES = {
    ("formicary", "behaviours", SAME): ("a", "circle", ""),
    ("formicary", "micro", SAME): ("b", "diamond", ""),
    ("formicary", "behaviours", APART): ("c", "square", ""),
    ("spade", "", SAME): ("d", "triangle", ""),
    ("spade", "", APART): ("e", "nabla", ""),
    ("tasks", "", SAME): ("t", "circle", "6 4"),
    ("callbacks", "", SAME): ("u", "diamond", "2 3"),
    ("tcp", "", APART): ("v", "square", "9 3 2 3"),
}
_SPARE = (("f", "cross", ""), ("g", "nabla", "4 2"), ("h", "triangle", "4 2"))


class Series(msgspec.Struct, frozen=True):
    """One line of a chart, one colour of bars.

    Attributes:
        label: Its name.
        colour: A letter that the style sheet gives a colour.
        mark: The shape of its points.
        dash: How its line is dashed, as in SVG.
    """

    label: str
    colour: str
    mark: str
    dash: str


def subject(row: Row) -> str:
    """Say who exchanges the messages."""
    return _SUBJECTS.get((row.platform, row.kind)) or f"{row.platform} {row.kind}".strip()


def label(row: Row) -> str:
    """Give the name of the series that a row belongs to."""
    if row.agents:
        return subject(row)
    route = _ROUTES.get(row.route, row.route)
    where = route if row.placement == APART and row.platform not in BASELINES else ""
    return ", ".join(text for text in (subject(row), where) if text)


def by_series(rows: Iterable[Row]) -> dict[Series, list[Row]]:
    """Sort rows into series: ours first, other platforms next, the baselines last."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in sorted(rows, key=_order):
        groups.setdefault((row.platform, row.kind, row.placement, row.route), []).append(row)
    found: dict[Series, list[Row]] = {}
    strangers = 0
    for identity, members in groups.items():
        style = _STYLES.get(identity[:3])
        if style is None:
            style = _SPARE[strangers % len(_SPARE)]
            strangers += 1
        # Two groups may come out with one name and style (routes that we do not know): they stay one series.
        found.setdefault(Series(label(members[0]), *style), []).extend(members)
    return found


def _order(row: Row) -> tuple[bool, bool, bool]:
    return row.platform in BASELINES, row.platform != "formicary", row.placement != SAME
