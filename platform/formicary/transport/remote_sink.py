"""Where senders wait for room on the way to a receiver elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class Carrier(Protocol):
    """Carries messages to receivers elsewhere: a link, or a connection to a server."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing will go out any more."""

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message; return what has no room now, if anything."""

    async def room(self, receiver: str) -> None:
        """Wait for room on the way to a receiver."""

    def way_to(self, receiver: str) -> str:
        """Describe the way to a receiver and why it has no room, as part of a sentence."""


class RemoteSink:
    """The message sink of one receiver elsewhere, by its full name."""

    def __init__(self, carrier: Carrier, receiver: str) -> None:
        self._carrier = carrier
        self._ahead: Sequence[MessageSink] = ()  # what had no room when it was tried last
        self.address = receiver

    def put(self, message: Message) -> bool:
        """Accept a message; return False if there is no room now."""
        self._ahead = self._carrier.post(message, self.address) or ()
        return not self._ahead

    async def room(self) -> None:
        """Wait for room: here, or where the receiver is now."""
        if not self._ahead:
            await self._carrier.room(self.address)
        for sink in self._ahead:
            await sink.room()

    def is_done(self) -> bool:
        """Return whether nothing will go there any more."""
        return self._carrier.is_closed

    def __str__(self) -> str:
        return self._carrier.way_to(self.address)
