"""What the state machines of one container share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.mobility.handover.exchange import Ask

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from formicary.mobility.handover.exchange import Event
    from formicary.mobility.handover.instructions import Instruction


class Passage(msgspec.Struct, eq=False):
    """An agent on its way, as known at its source or its destination.

    Args:
        address: its full name.
        number: of the hand-over.
        source: the source's domain; `source_incarnation`: the source's.
        place: the destination's domain; `incarnation`: the destination's.
        witness: the home's incarnation when the hand-over began.
        snapshot: the agent; empty once it is no longer needed.
    """

    address: str
    number: int
    source: str
    source_incarnation: int
    place: str
    incarnation: int
    witness: int
    snapshot: bytes

    @property
    def home(self) -> str:
        """The domain of the agent's home."""
        return home_of(self.address)

    def question(self, *, is_ready: bool) -> Ask:
        """Return the question for the home; argument as of `Ask`."""
        return Ask(
            self.address, self.number, self.source, self.source_incarnation,
            self.place, self.incarnation, self.witness, is_ready,
        )  # fmt: skip


class SharedState:
    """The other containers, the events for them, the agents here, and what the container is to do.

    Args:
        domain: the container's full domain.
        incarnation: its own.
        lives_here: returns whether an agent lives in this container, wherever its home is.
        listed: returns the domains of all members, including those that cannot be reached now.
    """

    def __init__(
        self,
        domain: str,
        incarnation: int,
        lives_here: Callable[[str], bool],
        listed: Callable[[], Collection[str]],
    ) -> None:
        self.domain = domain
        self.incarnation = incarnation
        self.members = {domain: incarnation}
        """The incarnations of the containers that can be reached, by domain; including this one."""
        self.listed = listed
        self.lives_here = lives_here
        self.numbers: dict[str, int] = {}
        """The numbers of the hand-overs that brought agents here."""
        self.tried: dict[str, int] = {}
        """The numbers of the latest hand-overs that have begun here."""
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

    def number_of(self, address: str) -> int | None:
        """Return the number of the hand-over that brought an agent that lives here.

        0 if none did, None if no such agent lives here.
        """
        return self.numbers.get(address, 0) if self.lives_here(address) else None

    def forget(self, address: str) -> int | None:
        """Forget the numbers of an agent that is no longer here; return the one that brought it, if any."""
        self.tried.pop(address, None)
        return self.numbers.pop(address, None)


def home_of(address: str) -> str:
    """Return the domain of an agent's home, which is in its full name."""
    return address.partition("@")[2]
