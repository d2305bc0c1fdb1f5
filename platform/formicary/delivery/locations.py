"""What plugs into a container to reach agents that have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.overflow import Source


class Forwarder(Protocol):
    """Forwards messages for an agent that is away from home, or has just arrived; `str()` says where."""

    address: str
    """The agent's full name."""

    @property
    def domain(self) -> str | None:
        """The container that messages go to; None if the agent lives here."""

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message of an agent of this container; return the sinks without room, if any."""

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Forward a message; return the sinks without room, if any."""

    def tell(self, failure: Message) -> None:
        """Report to a local agent that one of its messages has failed."""

    def messages(self) -> Sequence[Message]:
        """Return the messages that are held."""


class Locations(Protocol):
    """Knows where agents are that have moved."""

    def keep_failure(self, message: Message, receiver: str, reason: str) -> bool:
        """Keep a failure until its sender is known for certain; return False if it can be told now."""

    def take_stray(self, message: Message, receiver: str, source: Source) -> None:
        """Handle a message from another container for an agent of a third one that is not known here."""

    def hold_failure(self, message: Message, receiver: str, reason: str, domain: str) -> bool:
        """Keep a failure that could overtake earlier ones to the same agent; return False if it may go.

        Args:
            message: the message that has failed.
            receiver: the full name of its receiver.
            reason: why it has failed, as a sentence.
            domain: the container to which the failure goes.
        """

    def failure_sent_again(self, address: str, failed: str, domain: str) -> None:
        """Called when a failure is sent to another container, as it could not get to the first."""

    def tell_at_home(self, failure: Message, address: str, source: Source) -> bool:
        """Deliver a failure that could not get to an agent elsewhere, if that is here or about to return.

        Args:
            failure: the failure.
            address: the agent's full name.
            source: the link to where it was.

        Returns:
            Whether it is told: not if it may still be elsewhere.
        """

    def put_off_failure(self, failure: Message, address: str, domain: str) -> bool:
        """Keep a failure for an agent that has moved until there is a link to where it is.

        Args:
            failure: the failure.
            address: the agent's full name.
            domain: the container in which it is, as far as is known; empty if unknown.

        Returns:
            Whether it is kept.
        """

    def go_behind(self, address: str) -> None:
        """Queue what this container's agents send to one of them behind what waits for it."""
