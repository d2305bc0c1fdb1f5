"""The declaration of a subject: what is measured, and what it can do. Light, so that listing is quick.

A subject is declared in the registry. Its roles are in the module that it names, which only workers load. The
rest of this module helps with declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from formicary_bench.vocabulary import places

if TYPE_CHECKING:
    from collections.abc import Mapping


IN_PROCESS: dict[str, tuple[places.Carrier, ...]] = {places.SAME: (places.Carrier("in-process"),)}
"""The carriers of subjects that are in one process only, by placement."""

BETWEEN = tuple(
    places.Carrier(route, tls) for route in (places.XMPP, places.DIRECT, places.AUTO) for tls in (False, True)
)
"""The possible carriers between our containers."""

ANYWHERE = IN_PROCESS | {places.APART: BETWEEN, places.TWO_HOSTS: BETWEEN, places.N_HOSTS: BETWEEN}
"""The possible carriers of our messages, by placement."""

_USUAL = {"in-process", places.OWN, places.TCP, places.UNIX, places.MEMORY, places.XMPP, places.DIRECT}


def apart(*carriers: places.Carrier) -> dict[str, tuple[places.Carrier, ...]]:
    """Return the carriers between two processes, on one host or on two."""
    return {places.APART: carriers, places.TWO_HOSTS: carriers}


@dataclass(frozen=True)
class Subject:
    """Something to measure.

    Attributes:
        platform: `formicary`, another platform, or a baseline.
        module: the module of its roles; empty if it is measured without workers.
        carriers: the possible carriers of its messages, by placement.
        kind: `behaviours` or `micro` for our agents; the design for our directory; what it holds for a
            subject without agents.
        label: its name in charts and tables.
        about: what that is, in a few words, if the label does not say.
        baseline: its name in sentences, if it is a baseline for others.
        families: the families of experiments that it can take part in.
        package: the package that must be installed, if any.
        extra: our extra that installs it; if empty, the one named like the package.
        trips: the default number of measured round trips of all its pairs together, if it is much slower or
            faster than others; 0 for the same as others.
        hidden: whether it takes part only if named.
        exchanges: the exchanges that another platform's driver can make; it takes part in experiments with
            one of them.
        most_pairs: the most pairs or senders that it can have at once; 0 for no limit.
        most_bytes: the largest body of a message that it accepts; 0 for no limit.
        accounts: whether each of its agents has an account at the XMPP server.
        groups_threads: whether another platform's driver knows the groups of its threads, by which CPU time
            is measured.
    """

    platform: str
    module: str
    carriers: Mapping[str, tuple[places.Carrier, ...]]
    kind: str = ""
    label: str = ""
    about: str = ""
    baseline: str = ""
    families: tuple[str, ...] = ("messaging",)
    package: str = ""
    extra: str = ""
    trips: int = 0
    hidden: bool = False
    exchanges: tuple[str, ...] = ()
    most_pairs: int = 0
    most_bytes: int = 0
    accounts: bool = False
    groups_threads: bool = False

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"{self.platform}-{self.kind}" if self.kind else self.platform

    def is_installed(self) -> bool:
        """Return whether it can be used here."""
        return not self.package or find_spec(self.package) is not None

    def has_choice(self, placement: str) -> bool:
        """Return whether its messages can take more than one route."""
        return len({carrier.route for carrier in self.carriers.get(placement, ())}) > 1

    def usual_carriers(self, placement: str) -> tuple[places.Carrier, ...]:
        """Return the carriers that are measured by default."""
        carriers = self.carriers.get(placement, ())
        return tuple(
            carrier for carrier in carriers if carrier.route in _USUAL and is_usual(carrier, placement)
        )


def is_usual(carrier: places.Carrier, placement: str) -> bool:
    """Return whether a carrier has the default TLS of a placement.

    Between hosts agents' messages are encrypted, by links and between servers; containers connect to the
    server of their own host. The baseline `tcp` is measured both ways.
    """
    if placement not in places.HOSTED:
        return not carrier.tls
    return carrier.route == places.TCP or carrier.tls == (carrier.route in {places.DIRECT, places.AUTO})


DOMAIN = "localhost"
"""The domain of accounts: SPADE connects to the host named in an agent's address."""

HOLDERS = ("asker", "echo")
"""The first parts of accounts' names."""


def account(holder: str, number: int) -> str:
    """Return the name of an agent's account, the part before the `@`."""
    return f"{holder}-{number}"
