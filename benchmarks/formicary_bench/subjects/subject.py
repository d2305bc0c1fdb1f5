"""What a subject is: something that is measured, with what it can do. Light, so that listing it is quick.

A subject is declared in the registry, and its roles are in the module that it names, which is
loaded by workers only. The rest of this module is for such declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from formicary_bench.vocabulary.places import (
    APART,
    AUTO,
    DIRECT,
    HOSTED,
    MEMORY,
    N_HOSTS,
    OWN,
    SAME,
    TCP,
    TWO_HOSTS,
    UNIX,
    XMPP,
    Carrier,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


IN_PROCESS: dict[str, tuple[Carrier, ...]] = {SAME: (Carrier("in-process"),)}
"""What carries the messages of what is in one process only, by placement."""

BETWEEN = tuple(Carrier(route, tls) for route in (XMPP, DIRECT, AUTO) for tls in (False, True))
"""What can carry messages between our containers."""

ANYWHERE = IN_PROCESS | {APART: BETWEEN, TWO_HOSTS: BETWEEN, N_HOSTS: BETWEEN}
"""What can carry our messages, by placement."""

_USUAL = {"in-process", OWN, TCP, UNIX, MEMORY, XMPP, DIRECT}


def apart(*carriers: Carrier) -> dict[str, tuple[Carrier, ...]]:
    """Return what carries the messages of what is in two processes, on one host or on two."""
    return {APART: carriers, TWO_HOSTS: carriers}


@dataclass(frozen=True)
class Subject:
    """Something that is measured.

    Attributes:
        platform: `formicary`, another platform, or a baseline.
        module: where the roles are that workers play; empty where it is measured without workers.
        carriers: all that can carry its messages, by placement.
        kind: of our agents, `behaviours` or `micro`; of our directory, how it is built; of what has no
            agents, what it holds instead.
        label: what charts and tables call it.
        about: what that is, in a few words, where the label does not say.
        baseline: what sentences call it, where it is a baseline, which others are held against.
        families: in which families of experiments it can take part.
        package: what must be installed beside us, if anything.
        extra: the extra of ours that installs it; if empty, the one that is called as the package.
        trips: how many round trips of all its pairs together are measured unless others are asked for, where
            it is much slower or faster than others; 0 for as many as of these.
        hidden: whether it takes part only where it is named.
        exchanges: of another platform with a driver, the exchanges of messages that this can make: it takes
            part in the experiments that have one of them.
        most_pairs: the most pairs, or senders, that it can have at once; 0 where there is no limit.
        most_bytes: the largest body of a message that it takes; 0 where there is no limit.
        accounts: whether each of its agents has an account at the XMPP server.
    """

    platform: str
    module: str
    carriers: Mapping[str, tuple[Carrier, ...]]
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

    def usual_carriers(self, placement: str) -> tuple[Carrier, ...]:
        """Return the carriers that are measured unless others are asked for."""
        carriers = self.carriers.get(placement, ())
        return tuple(
            carrier for carrier in carriers if carrier.route in _USUAL and is_usual(carrier, placement)
        )


def is_usual(carrier: Carrier, placement: str) -> bool:
    """Return whether a carrier has TLS as is usual at a placement.

    From host to host agents' messages are encrypted: links do TLS there, and so do servers with each other,
    to which containers connect on their own hosts. Of the baseline `tcp` both are measured.
    """
    if placement not in HOSTED:
        return not carrier.tls
    return carrier.route == TCP or carrier.tls == (carrier.route in {DIRECT, AUTO})


DOMAIN = "localhost"
"""Where the accounts are: SPADE connects to the host that an agent's address names."""

HOLDERS = ("asker", "echo")
"""Whose they are: the first parts of their names."""


def account(holder: str, number: int) -> str:
    """Return the name of an agent's account, the part before the `@`."""
    return f"{holder}-{number}"
