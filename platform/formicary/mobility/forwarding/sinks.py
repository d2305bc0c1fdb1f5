"""Where senders and messages wait on the way to an agent that has moved."""

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
    """Where a message of this container's agents waits until its way is clear.

    Args:
        forwarder: that of the receiver.
    """

    def __init__(self, forwarder: Forwarder) -> None:
        self._forwarder = forwarder
        self._ahead: Sequence[MessageSink] = ()  # the full sinks of the present way
        self.address: str | None = forwarder.address

    def put(self, message: Message) -> bool:
        """Accept a message; return False if it must keep waiting."""
        self._ahead = self._forwarder.post_again(message) or ()
        return not self._ahead

    async def room(self) -> None:
        """Wait until the way is clear."""
        if self._ahead:
            await _all_room(self._ahead)
        else:
            await self._forwarder.room()

    def is_done(self) -> bool:
        """Return False: the message is sent on, or fails."""
        return False

    def __str__(self) -> str:
        return f"the way to {self._forwarder.address}, which has moved,"


class Forwarding:
    """Where a forwarded message waits for room on the way to the next container.

    Args:
        forwarder: that of the receiver.
        full: the full sinks.
    """

    def __init__(self, forwarder: Forwarder, full: Sequence[MessageSink]) -> None:
        self._forwarder = forwarder
        self._full = full
        self.address: str | None = forwarder.address

    def put(self, message: Message) -> bool:
        """Accept a message; return False if there is no room yet."""
        self._full = self._forwarder.forward_again(message) or ()
        return not self._full

    async def room(self) -> None:
        """Wait for room."""
        await _all_room(self._full)

    def is_done(self) -> bool:
        """Return False: the message is sent on, or fails."""
        return False

    def __str__(self) -> str:
        return ", ".join(map(str, self._full)) or f"the way to {self._forwarder.address}"
