"""Which subjects there are, and what each of them can do."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.vocabulary.designs import CONTAINER, DELIVERIES, DESIGNS, IMPORTED
from formicary_bench.vocabulary.placements import APART, HOSTED, N_HOSTS, SAME, TWO_HOSTS
from formicary_bench.vocabulary.routes import AUTO, DIRECT, OWN, TCP, XMPP, Carrier

if TYPE_CHECKING:
    from formicary_bench.results.store import model


@dataclass(frozen=True)
class Subject:
    """Something that is measured.

    Attributes:
        platform: `formicary`, another platform, or a baseline.
        module: where its parts are.
        carriers: all that can carry its messages, by placement.
        kind: of our agents, `behaviours` or `micro`; of our directory, how it is built; of what has no
            agents, what it holds instead.
        does: in which families of experiments it can play a part.
        package: what must be installed beside us, if anything.
        extra: the extra of ours that installs it; if empty, the one that is called as the package.
        trips: how many round trips of all its pairs together are measured unless others are asked for, where
            it is slow; 0 for as many as of others.
        hidden: whether it takes part only where it is named.
        experiments: the only ones that it can do; all of its families if empty.
        most_pairs: the most pairs, or senders, that it can have at once; 0 where there is no limit.
        most_bytes: the largest body of a message that it takes; 0 where there is no limit.
        accounts: whether each of its agents has an account at the XMPP server.
    """

    platform: str
    module: str
    carriers: dict[str, tuple[Carrier, ...]]
    kind: str = ""
    does: tuple[str, ...] = ("messaging",)
    package: str = ""
    extra: str = ""
    trips: int = 0
    hidden: bool = False
    experiments: tuple[str, ...] = ()
    most_pairs: int = 0
    most_bytes: int = 0
    accounts: bool = False

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"{self.platform}-{self.kind}" if self.kind else self.platform

    def is_installed(self) -> bool:
        """Say whether it can be used here."""
        return not self.package or find_spec(self.package) is not None

    def has_choice(self, placement: str) -> bool:
        """Say whether its messages can take more than one route."""
        return len({carrier.route for carrier in self.carriers.get(placement, ())}) > 1

    def usual_carriers(self, placement: str) -> tuple[Carrier, ...]:
        """Return the carriers that are measured unless others are asked for."""
        carriers = self.carriers.get(placement, ())
        return tuple(
            carrier for carrier in carriers if carrier.route in _USUAL and is_usual(carrier, placement)
        )


_OURS = "formicary_bench.subjects.ours."
_VARIANTS = "formicary_bench.subjects.variants."
_BASELINES = "formicary_bench.subjects.baselines."
_ALONE = (Carrier("in-process"),)
_BETWEEN = tuple(Carrier(route, tls) for route in (XMPP, DIRECT, AUTO) for tls in (False, True))
_USUAL = {"in-process", OWN, TCP, XMPP, DIRECT}
_ANYWHERE = {SAME: _ALONE, APART: _BETWEEN, TWO_HOSTS: _BETWEEN, N_HOSTS: _BETWEEN}


def _apart(*carriers: Carrier) -> dict[str, tuple[Carrier, ...]]:
    return {APART: carriers, TWO_HOSTS: carriers}


SUBJECTS = (
    Subject(
        "formicary",
        _OURS + "behaviours",
        _ANYWHERE,
        kind="behaviours",
        does=("messaging", "create", "memory", "network"),
    ),
    Subject(
        "formicary",
        _OURS + "micro",
        _ANYWHERE,
        kind="micro",
        does=("messaging", "create", "memory", "network"),
    ),
    *(Subject("formicary", _OURS + "directory", _ANYWHERE, kind, ("directory",)) for kind in DESIGNS),
    *(Subject("formicary", "", {SAME: _ALONE}, kind, ("memory",)) for kind in (IMPORTED, CONTAINER)),
    Subject("python", "", {SAME: _ALONE}, does=("memory",)),
    Subject("formicary-unnumbered", _VARIANTS + "unnumbered", _apart(*_BETWEEN), hidden=True),
    Subject("formicary-unbatched", _VARIANTS + "unbatched", _apart(*_BETWEEN), does=("network",)),
    *(Subject("design", _VARIANTS + "designs", {SAME: _ALONE}, kind, hidden=True) for kind in DELIVERIES),
    Subject(
        "formicary-logins",
        _VARIANTS + "logins",
        {APART: (Carrier(XMPP),)},
        package="aioxmpp",
        extra="accounts",
        trips=2000,
        accounts=True,
        hidden=True,
    ),
    Subject("tasks", _BASELINES + "tasks", {SAME: _ALONE}, does=("messaging", "create")),
    Subject("callbacks", _BASELINES + "callbacks", {SAME: _ALONE}),
    Subject(
        "tcp", _BASELINES + "tcp", _apart(Carrier(TCP), Carrier(TCP, tls=True)), does=("messaging", "network")
    ),
    Subject("components", _BASELINES + "components", _apart(Carrier(XMPP), Carrier(XMPP, tls=True))),
)
"""All that come with the laboratory; `subjects` has those with a driver as well."""


def is_usual(carrier: Carrier, placement: str) -> bool:
    """Say whether a carrier has TLS as is usual at a placement.

    From host to host agents' messages are encrypted: links do TLS there, and so do servers with each other,
    to which containers connect on their own hosts. Of the baseline `tcp` both are measured.
    """
    if placement not in HOSTED:
        return not carrier.tls
    return carrier.route == TCP or carrier.tls == (carrier.route in {DIRECT, AUTO})


def subjects() -> tuple[Subject, ...]:
    """Return all that can be measured: what comes with the laboratory, and what has a driver here."""
    from formicary_bench.subjects.drivers.catalogue import driven

    return (*SUBJECTS, *driven())


def subject_of(platform: str, kind: str) -> Subject:
    """Return the subject of a configuration.

    Raises:
        UsageError: there is none here; its driver has been removed, say.
    """
    who = platform, kind
    for subject in SUBJECTS if who in _KNOWN else subjects():
        if (subject.platform, subject.kind) == who:
            return subject
    raise UsageError(f"the platform {platform} is not installed here; see: formicary bench platforms")


def has_driver(configuration: model.Configuration) -> bool:
    """Say whether a configuration's platform has a driver, installed or not: it is none of `SUBJECTS`."""
    return (configuration.platform, configuration.kind) not in _KNOWN


_KNOWN = {(subject.platform, subject.kind) for subject in SUBJECTS}
