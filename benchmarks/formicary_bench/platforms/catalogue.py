"""Which platforms there are, and what each of them can do."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

from formicary_bench.results import model

SAME, APART = "same-container", "two-containers"
"""The placements: both agents of a pair in one process, or in two."""

HOSTED = TWO_HOSTS, N_HOSTS = "two-hosts", model.N_HOSTS
"""The placements over hosts: agents that ask on one and those that answer on another, or both on each."""

ROUTES = AUTO, DIRECT, XMPP = "auto", "direct", "xmpp"
"""The routes between containers: by the platform's own choice, past any server, through the XMPP server."""

TCP = "tcp"
"""What carries a baseline's messages between two processes."""

DESIGNS = REPLICA, CENTRAL, LOOKUP = "replica", "central", "lookup"
"""How the directory is built: as in `Container(directory=...)`."""

IMPORTED, CONTAINER = "imported", "container"
"""What a process may hold instead of agents: the platform's modules, or an open container as well."""


class Way(NamedTuple):
    """How messages get from one agent of a pair to the other.

    Attributes:
        route: one of the routes between containers, or what else carries them.
        tls: whether they are encrypted on it.
    """

    route: str
    tls: bool = False


@dataclass(frozen=True)
class Subject:
    """Something that is measured.

    Attributes:
        platform: `formicary`, another platform, or a baseline.
        module: where its parts are.
        ways: all that can carry its messages, by placement.
        kind: of our agents, `behaviours` or `micro`; of our directory, how it is built; of what has no
            agents, what it holds instead.
        does: in which families of experiments it can play a part.
        package: what must be installed beside us, if anything.
        hidden: whether it takes part only where it is named.
    """

    platform: str
    module: str
    ways: dict[str, tuple[Way, ...]]
    kind: str = ""
    does: tuple[str, ...] = ("messaging",)
    package: str = ""
    hidden: bool = False

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"{self.platform}-{self.kind}" if self.kind else self.platform

    def is_installed(self) -> bool:
        """Say whether it can be used here."""
        return not self.package or find_spec(self.package) is not None

    def has_choice(self, placement: str) -> bool:
        """Say whether its messages can take more than one route."""
        return len({way.route for way in self.ways.get(placement, ())}) > 1

    def usual_ways(self, placement: str) -> tuple[Way, ...]:
        """Return the ways that are measured unless others are asked for."""
        ways = self.ways.get(placement, ())
        return tuple(way for way in ways if way.route in _USUAL and is_usual(way, placement))


_HERE = "formicary_bench.platforms."
_ALONE = (Way("in-process"),)
_BETWEEN = tuple(Way(route, tls) for route in (XMPP, DIRECT, AUTO) for tls in (False, True))
_USUAL = {"in-process", TCP, XMPP, DIRECT}
_ANYWHERE = {SAME: _ALONE, APART: _BETWEEN, TWO_HOSTS: _BETWEEN, N_HOSTS: _BETWEEN}


def _apart(*ways: Way) -> dict[str, tuple[Way, ...]]:
    return {APART: ways, TWO_HOSTS: ways}


SUBJECTS = (
    Subject(
        "formicary",
        _HERE + "behaviours",
        _ANYWHERE,
        kind="behaviours",
        does=("messaging", "create", "memory", "network"),
    ),
    Subject(
        "formicary",
        _HERE + "micro",
        _ANYWHERE,
        kind="micro",
        does=("messaging", "create", "memory", "network"),
    ),
    *(Subject("formicary", _HERE + "directory", _ANYWHERE, kind, ("directory",)) for kind in DESIGNS),
    *(Subject("formicary", "", {SAME: _ALONE}, kind, ("memory",)) for kind in (IMPORTED, CONTAINER)),
    Subject("python", "", {SAME: _ALONE}, does=("memory",)),
    Subject("formicary-unnumbered", _HERE + "unnumbered", _apart(*_BETWEEN), hidden=True),
    Subject("formicary-unbatched", _HERE + "unbatched", _apart(*_BETWEEN), does=("network",)),
    Subject("tasks", _HERE + "tasks", {SAME: _ALONE}, does=("messaging", "create")),
    Subject("callbacks", _HERE + "callbacks", {SAME: _ALONE}),
    Subject("tcp", _HERE + "tcp", _apart(Way(TCP), Way(TCP, tls=True)), does=("messaging", "network")),
    Subject("components", _HERE + "components", _apart(Way(XMPP), Way(XMPP, tls=True))),
    Subject("spade", _HERE + "spade", {APART: (Way(XMPP),)}, package="spade"),
)


def is_usual(way: Way, placement: str) -> bool:
    """Say whether a way does TLS or does not as is usual at a placement.

    From host to host agents' messages are encrypted: links do TLS there, and so do servers with each other,
    to which containers connect on their own hosts. Of the baseline `tcp` both are measured.
    """
    if placement not in HOSTED:
        return not way.tls
    return way.route == TCP or way.tls == (way.route in {DIRECT, AUTO})


def subject_of(platform: str, kind: str) -> Subject:
    """Return the subject of a configuration."""
    return next(subject for subject in SUBJECTS if (subject.platform, subject.kind) == (platform, kind))
