"""Where senders wait for room on the way to a receiver elsewhere."""

from __future__ import annotations

from typing import Protocol

from formicary.delivery.room import Gate


class Carrier(Protocol):
    """Carries messages to receivers elsewhere: a link, or a connection to a server."""

    @property
    def is_closed(self) -> bool:
        """Whether nothing will go out any more."""

    async def room(self, receiver: str) -> None:
        """Wait for room on the way to a receiver."""

    def way_to(self, receiver: str) -> str:
        """Describe the way to a receiver and why it has no room, as part of a sentence."""


class RemoteSink(Gate):
    """The message sink of one receiver elsewhere, by its full name, while the way to it has no room."""

    def __init__(self, carrier: Carrier, receiver: str) -> None:
        super().__init__(receiver)
        self._carrier = carrier

    async def room(self) -> None:
        """Wait for room."""
        await self._carrier.room(self.address)
        self.is_open = not self._carrier.is_closed

    def is_done(self) -> bool:
        """Return whether nothing will go there any more."""
        return self._carrier.is_closed

    def __str__(self) -> str:
        return self._carrier.way_to(self.address)
