"""The other containers, as hand-overs see them, and what they are to be told."""

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
        listed: returns the domains of all members, also of those that cannot be told anything now.
    """

    def __init__(self, domain: str, incarnation: int, listed: Callable[[], Collection[str]]) -> None:
        self.domain = domain
        self.incarnation = incarnation
        self.members = {domain: incarnation}
        """The incarnations of the containers that can be told something, by domain; the own one included."""
        self.listed = listed
        self.outgoing: dict[str, list[Event]] = {}
        """What is to be told, by domain: at once in one piece, and behind all that was sent before."""
        self.to_itself: list[Event] = []
        """What parts of this container tell each other, as source, destination or home."""
        self.strangers: set[str] = set()
        """Domains of containers that are not known, and were, or have said something, or were to be told."""
        self.instructions: list[Instruction] = []

    def tell(self, domain: str, event: Event) -> None:
        """Tell a container something; one that is not there is told what it needs when it comes."""
        if domain == self.domain:
            self.to_itself.append(event)
        elif domain in self.members:
            self.outgoing.setdefault(domain, []).append(event)
        else:
            self.strangers.add(domain)

    def is_dead(self, domain: str, incarnation: int) -> bool:
        """Return whether an incarnation of a container is known to be no more: a later one is there."""
        return self.members.get(domain, incarnation) != incarnation

    def is_there(self, domain: str, incarnation: int) -> bool:
        """Return whether that incarnation of a container can be told something."""
        return self.members.get(domain) == incarnation


def home_of(address: str) -> str:
    """Return the domain of the container that an agent's full name names."""
    return address.partition("@")[2]
