"""Where senders wait, and messages, on the way to an agent that has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.mobility.forwarding.forwarder import Forwarder


async def _all_room(full: Sequence[MessageSink]) -> None:
    for sink in full:
        await sink.room()


class Waiting:
    """The sink of a message of this container's agents that waits until its way is clear.

    Args:
        forwarder: of the agent that it is for.
    """

    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        self._ahead: Sequence[MessageSink] = ()  # what had no room where messages go now
        self.address: str | None = forwarder.address

    def put(self, message: Message) -> bool:
        """Take a message; return False if it has to wait on."""
        self._ahead = self._forwarder.post_again(message) or ()
        return not self._ahead

    async def room(self) -> None:
        """Wait until the way is clear."""
        if self._ahead:
            await _all_room(self._ahead)
        else:
            await self._forwarder.room()

    def is_done(self) -> bool:
        """Return False: the message goes on, or fails."""
        return False

    def __str__(self) -> str:
        return f"the way to {self._forwarder.address}, which has moved,"


class Forwarding:
    """The sink of a message that waits for room on the way to the next container.

    Args:
        forwarder: of the agent that it is for.
        full: what had no room.
    """

    def __init__(self, forwarder: Forwarder, full: Sequence[MessageSink]) -> None:
        self._forwarder = forwarder
        self._full = full
        self.address: str | None = forwarder.address

    def put(self, message: Message) -> bool:
        """Take a message; return False if there is no room yet."""
        self._full = self._forwarder.forward_again(message) or ()
        return not self._full

    async def room(self) -> None:
        """Wait for room."""
        await _all_room(self._full)

    def is_done(self) -> bool:
        """Return False: the message goes on, or fails."""
        return False

    def __str__(self) -> str:
        return ", ".join(map(str, self._full)) or f"the way to {self._forwarder.address}"
