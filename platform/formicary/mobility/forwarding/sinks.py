"""Where senders and messages wait on the way to an agent that has moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.delivery.room import Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.mobility.forwarding.forwarder import Forwarder


class Waiting(Gate):
    """Where a message waits until its way is clear, or has room.

    Args:
        forwarder: that of the receiver.
        full: the sinks without room; none if the way is not clear.
    """

    def __init__(self, forwarder: Forwarder, full: Sequence[MessageSink] = ()) -> None:
        super().__init__(forwarder.address)
        self._forwarder = forwarder
        self._full = full

    async def room(self) -> None:
        """Wait for room, or until the way is clear."""
        for sink in self._full:
            await sink.room()
        if not self._full:
            await self._forwarder.room()
        self.is_open = True

    def __str__(self) -> str:
        return ", ".join(map(str, self._full)) or f"the way to {self.address}, which has moved,"
