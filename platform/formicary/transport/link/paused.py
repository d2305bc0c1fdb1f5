"""Where senders wait for a receiver elsewhere whose mailbox is full."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class PausedReceiver:
    """A receiver elsewhere that is to be sent nothing for now.

    Args:
        address: its full name.
        post: sends a message to it, once it may be; returns the sinks that have no room.
    """

    def __init__(self, address: str, post: Callable[[Message, str], Sequence[MessageSink] | None]) -> None:
        self.address = address
        self._post = post
        self._free = asyncio.Event()
        self._ahead: Sequence[MessageSink] = ()  # what had no room when it was tried last

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Take no message: it has to wait."""
        del message
        return (self,)

    def put(self, message: Message) -> bool:
        """Take a message if the receiver may be sent some again; return False if not."""
        if not self._free.is_set():
            return False
        self._ahead = self._post(message, self.address) or ()
        return not self._ahead

    async def room(self) -> None:
        """Wait until the receiver may be sent messages again, and there is room on the way to it."""
        await self._free.wait()
        for sink in self._ahead:
            await sink.room()

    def is_done(self) -> bool:
        """Return False: when the link ends, messages take the ordinary way and fail there."""
        return False

    def release(self) -> None:
        """Let everybody go on."""
        self._free.set()

    def __str__(self) -> str:
        return f"the mailbox of {self.address}"
