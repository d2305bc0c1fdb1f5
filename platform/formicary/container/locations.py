"""What a container asks of whoever knows where agents are that have moved; it is above, and plugs in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.container.overflow import Source
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class Forwarder(Protocol):
    """How messages go to an agent that is not where its name says, or has just come; `str()` says where."""

    address: str
    """The agent's full name."""

    @property
    def domain(self) -> str | None:
        """The container that messages go to; None where the agent lives here."""

    def leads_to(self, domain: str) -> bool:
        """Return whether messages go straight to another container now."""

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message of an agent of this container; return the sinks that have no room now, if any."""

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message that it is the turn of; return the sinks that have no room now, if any."""

    def tell(self, failure: Message) -> None:
        """Tell the agent, which lives here, that a message of its has failed."""

    def messages(self) -> Sequence[Message]:
        """Return the messages that wait until it is clear where they go."""


class NameConflicts(Protocol):
    """Who knows of which agents that live here another one may have the name by now, at their home."""

    def keep(self, message: Message, receiver: str, reason: str) -> bool:
        """Keep what the sender of a message is to be told; return False if it can be told now."""


class Locations(Protocol):
    """Who knows where agents are that have moved."""

    @property
    def conflicts(self) -> NameConflicts:
        """Who knows which names are in doubt."""

    def take_stray(self, message: Message, receiver: str, source: Source) -> None:
        """Take a message of another container for an agent of a third one, of which nothing is known here."""

    def hold_failure(self, message: Message, receiver: str, reason: str, domain: str) -> bool:
        """Keep what an agent elsewhere is to be told, as it may overtake others; return False if it may go.

        Args:
            message: what has failed.
            receiver: the full name of who should have got it.
            reason: why it has failed, as a sentence.
            domain: the container to which what is told goes.
        """

    def failure_sent_again(self, address: str, failed: str, domain: str) -> None:
        """Called when what an agent is told goes to another container, as it could not get to the first."""

    def tell_at_home(self, failure: Message, address: str, source: Source) -> bool:
        """Tell an agent of this home that is here, or may soon be, what could not get to it elsewhere.

        Args:
            failure: what it is told.
            address: its full name.
            source: the link to where it was.

        Returns:
            Whether it is told: it is not where it may still be there.
        """

    def put_off_failure(self, failure: Message, address: str, domain: str) -> bool:
        """Keep what an agent that has moved could not be told, until there is a link to where it is.

        Args:
            failure: what it is told.
            address: its full name.
            domain: the container in which it is, for all that is known; nothing where that is not known.

        Returns:
            Whether it is kept.
        """

    def go_behind(self, address: str) -> None:
        """Have what this container's agents send to one of them wait behind what waits for that."""
