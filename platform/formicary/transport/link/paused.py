"""Where senders wait for receivers elsewhere whose mailboxes are full."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher

_MOST: Final = 4096  # receivers: for more, the other end does not let enough wait
_MOST_NAMES: Final = 1 << 20  # characters of their names


class PausedReceiver:
    """A receiver elsewhere that is sent nothing for now, but by `post` once it may be."""

    def __init__(self, address: str, post: Callable[[Message, str], Sequence[MessageSink] | None]) -> None:
        self.address = address
        self._post = post
        self._free = asyncio.Event()
        self._ahead: Sequence[MessageSink] = ()  # what had no room when it was tried last

    def put(self, message: Message) -> bool:
        """Accept a message if the receiver may be sent some again; return False if not."""
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
        """Resume all senders."""
        self._free.set()

    def __str__(self) -> str:
        return f"the mailbox of {self.address}"


class PausedReceivers(dict[str, PausedReceiver]):
    """All of one link that are sent nothing for now, by their full names."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        super().__init__()
        self._dispatcher = dispatcher
        self._names = 0  # characters

    def order(self, receiver: str, is_paused: bool) -> None:  # noqa: FBT001 -- a callback
        """Pause or resume the senders to a receiver; ValueError if too many wait already."""
        if is_paused:
            self._pause(receiver)
        elif (paused := self.pop(receiver, None)) is not None:
            self._names -= len(receiver)
            paused.release()

    def _pause(self, receiver: str) -> None:
        if receiver in self:
            return
        names = self._names + len(receiver)
        if len(self) >= _MOST or names > _MOST_NAMES:
            raise ValueError(f"an order to send nothing to {shorten(receiver)}, beside {len(self)} others")
        self._names = names
        self[receiver] = PausedReceiver(receiver, self._dispatcher.dispatch_to)
        self._dispatcher.remove_route(receiver)

    def release(self) -> None:
        """Resume all senders: the other end is another one now, or none."""
        paused = list(self.values())
        self.clear()
        self._names = 0
        for receiver in paused:
            receiver.release()
