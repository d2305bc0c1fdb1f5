"""Where senders wait for a receiver elsewhere: for room on the way, or until its mailbox is not full."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher

_MOST: Final = 4096  # receivers; the other end never has messages waiting for more
_MOST_NAMES: Final = 1 << 20  # characters of their names


class PausedReceiver:
    """A receiver elsewhere that is sent nothing for now; later, `post` sends to it."""

    def __init__(self, address: str, post: Callable[[Message, str], Sequence[MessageSink] | None]) -> None:
        self.address = address
        self._post = post
        self._free = asyncio.Event()
        self._ahead: Sequence[MessageSink] = ()  # the sinks that had no room when last tried

    def put(self, message: Message) -> bool:
        """Accept a message unless the receiver is still paused; return False if it is, or has no room."""
        if not self._free.is_set():
            return False
        self._ahead = self._post(message, self.address) or ()
        return not self._ahead

    async def room(self) -> None:
        """Wait until the receiver is resumed, and there is room on the way to it."""
        await self._free.wait()
        for sink in self._ahead:
            await sink.room()

    def is_done(self) -> bool:
        """Return False: when the link ends, messages go the ordinary way, and fail there."""
        return False

    def release(self) -> None:
        """Resume all senders."""
        self._free.set()

    def __str__(self) -> str:
        return f"the mailbox of {self.address}"


class PausedReceivers(dict[str, PausedReceiver]):
    """The paused receivers of one link, by their full names."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        super().__init__()
        self._dispatcher = dispatcher
        self._names = 0  # characters

    def order(self, receiver: str, is_paused: bool) -> None:  # noqa: FBT001 -- a callback
        """Pause or resume a receiver; ValueError if too many are paused already."""
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
            raise ValueError(f"an order to pause {shorten(receiver)}, beside {len(self)} others")
        self._names = names
        self[receiver] = PausedReceiver(receiver, self._dispatcher.dispatch_to)
        self._dispatcher.remove_route(receiver)

    def release(self) -> None:
        """Resume all receivers, as the session is over."""
        paused = list(self.values())
        self.clear()
        self._names = 0
        for receiver in paused:
            receiver.release()


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
