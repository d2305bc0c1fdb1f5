"""The white pages' descriptions of agents and containers (FIPA00023's ams-agent-description, and more)."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 -- msgspec reads the types
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from formicary.core.base_agent import AgentState  # noqa: TC001 -- as above
from formicary.core.failures import FailureRecord  # noqa: TC001 -- as above
from formicary.mobility.transit import Transit  # noqa: TC001 -- as above

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")


class AgentDescription(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"class_name": "class"}
):
    """An agent that lives in a container of the platform.

    Args:
        name: its full name, `alice@c1.lab.localhost`.
        state: its state.
        container: the full domain of the container it lives in now.
        class_name: its class, `package.module:Class`.
        behaviours: the number of its behaviours that have not ended; None for a micro-agent.
        failures: how many of its behaviours have failed; of a micro-agent, how often `handle` has.
        last_failure: the latest failure, if any.
        transit: if it is about to leave, its destination, since when, and what it is waiting for.
    """

    name: str
    state: AgentState
    container: str
    class_name: str
    behaviours: int | None = None
    failures: int = 0
    last_failure: FailureRecord | None = None
    transit: Transit | None = None


class AgentPlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where an agent lives, and its state, as far as known.

    Args:
        name: its full name, `alice@c1.lab.localhost`.
        container: the full domain of the container it lives in now, or, if its state is unknown, where its
            home says that it is; None if that is unknown, too.
        state: its state; None if unknown.
        transit: if it is about to leave, its destination, since when, and what it is waiting for.
        reason: why its state is unknown, as a sentence; None if it is known.
    """

    name: str
    container: str | None = None
    state: AgentState | None = None
    transit: Transit | None = None
    reason: str | None = None


class LinkDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A container's link to another one.

    Args:
        peer: the domain of the other.
        way: how frames go there now: `direct`, `xmpp`, `relay` or `none`.
        is_up: whether the other end is there.
        sent: how many frames were sent since the container was opened.
        received: how many were received.
        unacknowledged: how many wait to be acknowledged.
        failed: how many messages could not be delivered to the other container.
        rtt: seconds of the latest ping's round trip; None before there was one.
        messages_sent: how many messages were sent to it since then.
        messages_received: how many came from it.
    """

    peer: str
    way: str
    is_up: bool
    sent: int
    received: int
    unacknowledged: int
    failed: int
    rtt: float | None
    messages_sent: int = 0
    messages_received: int = 0


class ContainerDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A container of the platform.

    Args:
        name: its own, `c1`.
        domain: its full domain, `c1.lab.localhost`.
        is_main: whether it is the platform's main container, which keeps the list of containers.
        incarnation: higher than that of any earlier container of this domain; 0 if it has none.
        host: the name of the machine.
        pid: its process ID there.
        python: the version of Python.
        started: when it was started, with a time zone.
        agents: the number of agents that live there.
        dead_letters: the number of dead letters since it was opened.
        links: its links to other containers.
        failures: how often its agents have failed since then, including those that are gone.
        last_failure: the latest failure, if any.
    """

    name: str
    domain: str
    is_main: bool
    incarnation: int
    host: str
    pid: int
    python: str
    started: datetime
    agents: int
    dead_letters: int
    links: tuple[LinkDescription, ...]
    failures: int = 0
    last_failure: FailureRecord | None = None


class Missing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A container of the platform that did not answer.

    Args:
        domain: its full domain.
        reason: why not, as a sentence.
    """

    domain: str
    reason: str


class NotCreated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent that could not be created.

    Args:
        name: the full name that it would have.
        error: why not, by FIPA00023's name for it.
        message: why not, as a sentence.
    """

    name: str
    error: str
    message: str


class Listing(tuple[T, ...], Generic[T]):  # noqa: SLOT001 -- a tuple cannot have other slots
    """A tuple of what several containers have answered.

    Attributes:
        missing: the containers of the platform that did not answer, and why.
    """

    missing: tuple[Missing, ...] = ()

    @classmethod
    def of(cls, items: Iterable[T], missing: tuple[Missing, ...]) -> Listing[T]:
        """Return these items, with the containers that are missing."""
        listing = cls(items)
        listing.missing = missing
        return listing
