"""What is compared: its name, its colour and its mark, the same in every chart and table of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.results.summary.baselines import BASELINES
from formicary_bench.subjects.registry import label_of
from formicary_bench.vocabulary.names import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.verdicts import Compared

OWN = "own"
SAME, APART, TWO_HOSTS, N_HOSTS = "same-container", "two-containers", "two-hosts", "n-hosts"

PLACES = {SAME: "one process", APART: "two processes", TWO_HOSTS: "two hosts", N_HOSTS: "many hosts"}
"""Placements as a reader says them."""

_WITHOUT_A_NAME = {"in-process", "none"}
_ONE_ROUTE = BASELINES.keys() - {"formicary-unnumbered"}

# The style sheet gives each letter a colour, light and dark. Marks and dashes say the same without colour;
# what differs in TLS alone differs in dashes alone.
_STYLES = {
    ("formicary", "behaviours", "in-process", False): ("a", "circle", ""),
    ("formicary", "micro", "in-process", False): ("b", "diamond", ""),
    ("formicary", "behaviours", "xmpp", False): ("c", "square", ""),
    ("formicary", "behaviours", "xmpp", True): ("c", "square", "3 2"),
    ("formicary", "behaviours", "direct", False): ("i", "triangle", ""),
    ("formicary", "behaviours", "direct", True): ("i", "triangle", "3 2"),
    ("formicary", "micro", "xmpp", False): ("k", "diamond", ""),
    ("formicary", "micro", "xmpp", True): ("k", "diamond", "3 2"),
    ("formicary", "micro", "direct", False): ("l", "cross", ""),
    ("formicary", "micro", "direct", True): ("l", "cross", "3 2"),
    ("formicary-unbatched", "", "direct", False): ("d", "nabla", ""),
    ("formicary-unbatched", "", "direct", True): ("d", "nabla", "3 2"),
    ("formicary-unbatched", "", "xmpp", False): ("f", "cross", ""),
    ("formicary-unbatched", "", "xmpp", True): ("f", "cross", "3 2"),
    ("formicary-logins", "", "xmpp", False): ("e", "triangle", ""),
    ("design", "hand-over", "in-process", False): ("c", "circle", "9 3"),
    ("design", "pool", "in-process", False): ("d", "square", ""),
    ("design", "buffer", "in-process", False): ("e", "nabla", ""),
    ("design", "chain", "in-process", False): ("f", "cross", ""),
    ("design", "copied", "in-process", False): ("i", "triangle", ""),
    ("design", "encoded", "in-process", False): ("k", "diamond", "4 2"),
    ("spade", "", "in-process", False): ("d", "triangle", ""),
    ("spade", "", "xmpp", False): ("e", "nabla", ""),
    ("tasks", "", "in-process", False): ("t", "circle", "6 4"),
    ("callbacks", "", "in-process", False): ("u", "diamond", "2 3"),
    ("tcp", "", "tcp", False): ("v", "square", "9 3 2 3"),
    ("tcp", "", "tcp", True): ("v", "square", "2 3"),
    ("components", "", "xmpp", False): ("w", "circle", "9 3 2 3"),
}
# How the directory is built is a colour; by which way it is used, a mark and a dash.
_STYLES |= {
    ("formicary", kind, route, tls): (colour, mark, dash_with_tls if tls else dash)
    for kind, colour in (("replica", "m"), ("central", "n"), ("lookup", "o"))
    for route, mark, dash, dash_with_tls in (
        ("in-process", "circle", "", ""),
        ("direct", "triangle", "9 3", "9 3 2 3"),
        ("xmpp", "square", "2 3", "2 6"),
        ("auto", "cross", "5 5", "5 5 1 5"),
    )
    for tls in (False, True)
}
_DASHES = ("12 4", "1 3", "12 2 2 2", "5 2", "2 5", "8 2 1 2")
"""For what differs in its hosts alone."""

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
    return label_of(row.platform, row.kind) or f"{row.platform} {row.kind}".strip()


def label(row: Row) -> str:
    """Return the name of the series that a row belongs to."""
    if row.family == DIRECTORY:
        way = " in one process" if row.placement == SAME else f", {row.route}{_tls(row)}"
        return f"{subject(row)}{way}{_over(row)}"
    if row.agents:
        return subject(row)
    unsaid = row.route in _WITHOUT_A_NAME or row.placement == SAME or row.platform in _ONE_ROUTE
    by = PLACES[APART] if row.route == OWN else row.route
    who = subject(row) if unsaid else f"{subject(row)}, {by}"
    return f"{who}{_tls(row)}{_over(row)}"


def label_of_other(row: Row, other: Compared) -> str:
    """Return the name of what a row was compared to, which is the same work at the same place."""
    return label(msgspec.structs.replace(row, platform=other.platform, kind=other.kind, route=other.route))


def _tls(row: Row) -> str:
    return " with TLS" if row.tls else ""


def _over(row: Row) -> str:
    """Say over which hosts it is, who talks to whom there, and where services are."""
    said = [PLACES[TWO_HOSTS]] if row.placement == TWO_HOSTS else []
    known = EXPERIMENTS.get(row.experiment)
    if row.placement == N_HOSTS and not (known and "count" in known.varies):
        said = [f"{row.hosts} hosts"]
    said += [row.traffic] if row.traffic else []
    said += [f"services {row.spread}"] if row.spread else []
    return "".join(f", {word}" for word in said)


def by_series(rows: Iterable[Row]) -> dict[Series, list[Row]]:
    """Sort rows into series: ours first, other platforms next, the baselines last."""
    groups: dict[tuple[str, str, str, str, bool, str], list[Row]] = {}
    for row in sorted(rows, key=_order):
        who = row.platform, row.kind, row.placement, row.route, row.tls
        groups.setdefault((*who, _over(row)), []).append(row)
    found: dict[Series, list[Row]] = {}
    strangers = 0
    for (platform, kind, _, route, tls, over), members in groups.items():
        # Agents look alike, whether they are created or talk to each other.
        style = _STYLES.get((platform, kind, "in-process" if route == "none" else route, tls))
        if style is None:
            style = _SPARE[strangers % len(_SPARE)]
            strangers += 1
        if over:
            style = _unlike(style, found)
        # Two groups may come out with one name and style (routes that we do not know): they stay one series.
        found.setdefault(Series(label(members[0]), *style), []).extend(members)
    return found


def _unlike(style: tuple[str, str, str], others: Iterable[Series]) -> tuple[str, str, str]:
    """Dash a line otherwise than those that it would be taken for."""
    colour, mark, dash = style
    taken = {other.dash for other in others if (other.colour, other.mark) == (colour, mark)}
    return colour, mark, next((one for one in (dash, *_DASHES) if one not in taken), dash)


def _order(row: Row) -> tuple[bool, bool, bool, str, bool, bool]:
    who = row.platform in BASELINES, row.platform != "formicary"
    return *who, row.placement != SAME, row.route, row.tls, row.placement in {TWO_HOSTS, N_HOSTS}
