"""The other containers, as hand-overs see them, and the events for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.handover.exchange import Event
    from formicary.mobility.handover.instructions import Instruction


class ClusterView:
    """The state that the state machines of one container share.

    Args:
        domain: the container's full domain.
        incarnation: its own.
        listed: returns the domains of all members, including those that cannot be reached now.
    """

    def __init__(self, domain: str, incarnation: int, listed: Callable[[], Collection[str]]) -> None:
        self.domain = domain
        self.incarnation = incarnation
        self.members = {domain: incarnation}
        """The incarnations of the containers that can be reached, by domain; including this one."""
        self.listed = listed
        self.outgoing: dict[str, list[Event]] = {}
        """The events to send, by domain: together, and behind all that was sent before."""
        self.to_itself: list[Event] = []
        """The events that this container, as source, destination or home, sends itself."""
        self.strangers: set[str] = set()
        """Domains of unknown containers that were known, or have sent something, or were to be sent it."""
        self.instructions: list[Instruction] = []

    def tell(self, domain: str, event: Event) -> None:
        """Send a container an event; one that is not there learns what it needs when it joins."""
        if domain == self.domain:
            self.to_itself.append(event)
        elif domain in self.members:
            self.outgoing.setdefault(domain, []).append(event)
        else:
            self.strangers.add(domain)

    def is_dead(self, domain: str, incarnation: int) -> bool:
        """Return whether an incarnation of a container is dead: a later one is there."""
        return self.members.get(domain, incarnation) != incarnation

    def is_there(self, domain: str, incarnation: int) -> bool:
        """Return whether that incarnation of a container can be reached."""
        return self.members.get(domain) == incarnation


def home_of(address: str) -> str:
    """Return the domain of an agent's home, which is in its full name."""
    return address.partition("@")[2]
