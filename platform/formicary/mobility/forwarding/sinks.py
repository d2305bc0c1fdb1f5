"""Where senders and messages wait on the way to an agent that has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.mobility.forwarding.forwarder import Forwarder


class Waiting:
    """Where a message waits until its way is clear, or has room.

    Args:
        forwarder: that of the receiver.
        again: sends the message again, and returns the sinks without room.
        full: the sinks without room; none if the way is not clear.
    """

    def __init__(
        self,
        forwarder: Forwarder,
        again: Callable[[Message], Sequence[MessageSink] | None],
        full: Sequence[MessageSink] = (),
    ) -> None:
        self._forwarder = forwarder
        self._again = again
        self._full = full
        self.address: str | None = forwarder.address

    def put(self, message: Message) -> bool:
        """Accept a message; return False if it must keep waiting."""
        self._full = self._again(message) or ()
        return not self._full

    async def room(self) -> None:
        """Wait for room, or until the way is clear."""
        for sink in self._full:
            await sink.room()
        if not self._full:
            await self._forwarder.room()

    def is_done(self) -> bool:
        """Return False: the message is sent on, or fails."""
        return False

    def __str__(self) -> str:
        return ", ".join(map(str, self._full)) or f"the way to {self.address}, which has moved,"
