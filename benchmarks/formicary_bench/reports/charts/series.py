"""Series: their names, colours and marks, the same in every chart and table of a report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports.document.figures import said as said_size
from formicary_bench.results.summary.baselines import BASELINES, based
from formicary_bench.subjects.registry import label_of
from formicary_bench.vocabulary.names import BARE_MESSAGES, DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.verdicts import Compared

OWN = "own"
SAME, APART, TWO_HOSTS, N_HOSTS = "same-container", "two-containers", "two-hosts", "n-hosts"

PLACES = {SAME: "one process", APART: "two processes", TWO_HOSTS: "two hosts", N_HOSTS: "many hosts"}
"""Placements in words."""

_WITHOUT_A_NAME = {"in-process", "none"}
_ONE_ROUTE = BASELINES.keys() - {"formicary-unnumbered", BARE_MESSAGES}

# The style sheet gives each letter a colour, light and dark. A subject has a colour, and a mark that says
# the same without it; a route has a dash. So a series looks alike in all charts of all reports.
_LOOKS = {
    ("formicary", "behaviours"): ("a", "circle"),
    ("formicary", "micro"): ("b", "diamond"),
    ("formicary", "synchronous"): ("a", "square"),
    ("formicary", "net"): ("a", "circle"),
    ("formicary", "requests"): ("b", "triangle"),
    ("formicary", "micro-copied"): ("i", "diamond"),
    ("formicary", "replica"): ("m", "circle"),
    ("formicary", "central"): ("n", "triangle"),
    ("formicary", "lookup"): ("o", "square"),
    ("formicary", "imported"): ("g", "square"),
    ("formicary", "container"): ("i", "square"),
    ("formicary-unbatched", ""): ("d", "nabla"),
    ("formicary-unnumbered", ""): ("f", "cross"),
    ("formicary-logins", ""): ("h", "triangle"),
    (BARE_MESSAGES, ""): ("b", "cross"),
    ("formicary-spade", ""): ("k", "square"),
    ("design", "hand-over"): ("c", "circle"),
    ("design", "pool"): ("d", "square"),
    ("design", "buffer"): ("e", "nabla"),
    ("design", "chain"): ("f", "cross"),
    ("design", "copied"): ("i", "triangle"),
    ("design", "encoded"): ("k", "diamond"),
    ("jade", ""): ("c", "square"),
    ("jason", ""): ("k", "triangle"),
    ("jason-pool", ""): ("i", "nabla"),
    ("jason-synchronous", ""): ("k", "cross"),
    ("jetlang", ""): ("g", "triangle"),
    ("kilim", ""): ("g", "diamond"),
    ("mango", ""): ("l", "cross"),
    ("mango-lean", ""): ("l", "diamond"),
    ("madkit", ""): ("o", "cross"),
    ("pekko", ""): ("g", "square"),
    ("spade", ""): ("e", "nabla"),
    ("formicary", "travels"): ("a", "circle"),
    ("formicary", "fetches"): ("e", "square"),
    ("tasks", ""): ("t", "circle"),
    ("callbacks", ""): ("u", "diamond"),
    ("tcp", ""): ("v", "square"),
    ("components", ""): ("w", "triangle"),
    ("python", ""): ("u", "circle"),
    ("processes", ""): ("v", "diamond"),
    ("threads", ""): ("w", "cross"),
}
_SPARE = tuple((colour, mark) for mark in ("nabla", "cross", "triangle") for colour in "fghdi")
"""For unknown subjects: chosen by name, so that they look the same on all pages."""

_ROUTES = {"direct": "8 3", "xmpp": "2 3", "auto": "8 3 2 3", "tcp": "12 4", OWN: "4 2"}
_WITH_TLS = {"direct": "8 3 1 3", "xmpp": "2 6", "auto": "8 3 2 3 2 3", "tcp": "12 4 1 4", OWN: "4 2 1 2"}
_DASHES = ("12 4", "1 3", "12 2 2 2", "5 2", "2 5", "8 2 1 2")
"""Dashes for series that differ only in their hosts."""


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
    """Return the name of a row's subject."""
    return label_of(row.platform, row.kind) or f"{row.platform} {row.kind}".strip()


def label(row: Row) -> str:
    """Return the name of the series that a row belongs to."""
    if row.family == DIRECTORY:
        way = " in one process" if row.placement == SAME else f", {row.route}{_tls(row)}"
        return f"{subject(row)}{way}{_over(row)}"
    if row.size("agents"):
        return f"{subject(row)}{_over(row)}"
    unsaid = row.route in _WITHOUT_A_NAME or row.placement == SAME or row.platform in _ONE_ROUTE
    by = PLACES[APART] if row.route == OWN else row.route
    who = subject(row) if unsaid else f"{subject(row)}, {by}"
    return f"{who}{_tls(row)}{_over(row)}"


def label_of_other(row: Row, other: Compared) -> str:
    """Return the name of the series that a row was compared to, at the same work and place."""
    return label(msgspec.structs.replace(row, platform=other.platform, kind=other.kind, route=other.route))


def _tls(row: Row) -> str:
    return " with TLS" if row.tls else ""


def _over(row: Row) -> str:
    """Return the hosts, who talks to whom there, where services are, and the number of cores, in words."""
    said = [PLACES[TWO_HOSTS]] if row.placement == TWO_HOSTS else []
    known = EXPERIMENTS.get(row.experiment)
    if row.placement == N_HOSTS and not (known and "count" in known.varies):
        said = [f"{row.hosts} hosts"]
    said += [row.traffic] if row.traffic else []
    said += [f"services {row.spread}"] if row.spread else []
    is_ours = row.platform == "formicary"
    for one in known.own if known else ():
        if one.in_label and (value := row.size(one.attribute)) not in {0, "", one.usual}:
            unit = one.unit if is_ours else one.elsewhere or one.unit
            said.append(said_size(replace(one, unit=unit), value))
    return "".join(f", {word}" for word in said)


def by_series(rows: Iterable[Row]) -> dict[Series, list[Row]]:
    """Sort rows into series: ours first, other platforms next, the baselines last."""
    groups: dict[tuple[str, str, str, str, bool, str], list[Row]] = {}
    for row in sorted(rows, key=_order):
        who = row.platform, row.kind, row.placement, row.route, row.tls
        groups.setdefault((*who, _over(row)), []).append(row)
    found: dict[Series, list[Row]] = {}
    for (platform, kind, _, route, tls, over), members in groups.items():
        style = look(platform, kind, route, tls=tls)
        if compared := based(members[0]):
            place = compared.example.index(members[0].size(compared.attribute))
            style = (*_SPARE[place], style[2])
        if over:
            style = _unlike(style, found)
        # Two groups may come out with one name and style (routes that we do not know): they stay one series.
        found.setdefault(Series(label(members[0]), *style), []).extend(members)
    return found


def look(platform: str, kind: str, route: str, *, tls: bool = False) -> tuple[str, str, str]:
    """Return the colour, the mark and the dash of something: the same in every report."""
    known = _LOOKS.get((platform, kind)) or _LOOKS.get((platform, ""))
    who = known or _SPARE[crc32(f"{platform} {kind}".encode()) % len(_SPARE)]
    dash = (_WITH_TLS if tls else _ROUTES).get(route, "")
    return *who, dash


def colours() -> set[str]:
    """Return the letters of all colours that series have."""
    return {colour for colour, _ in (*_LOOKS.values(), *_SPARE)}


def _unlike(style: tuple[str, str, str], others: Iterable[Series]) -> tuple[str, str, str]:
    """Return a style with a dash that no similar series has."""
    colour, mark, dash = style
    taken = {other.dash for other in others if (other.colour, other.mark) == (colour, mark)}
    return colour, mark, next((one for one in (dash, *_DASHES) if one not in taken), dash)


def _order(row: Row) -> tuple[bool, bool, bool, str, bool, bool]:
    who = row.platform in BASELINES, row.platform != "formicary"
    return *who, row.placement != SAME, row.route, row.tls, row.placement in {TWO_HOSTS, N_HOSTS}
