"""Where senders wait for a receiver elsewhere: for room on the way, or until its mailbox is not full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from formicary.core.quoting import shorten
from formicary.delivery.room import Gate

if TYPE_CHECKING:
    from formicary.delivery.dispatcher import Dispatcher

_MOST: Final = 4096  # receivers; the other end never has messages waiting for more
_MOST_NAMES: Final = 1 << 20  # characters of their names


class PausedReceiver(Gate):
    """A receiver elsewhere that is sent nothing for now."""

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
            paused.open()

    def _pause(self, receiver: str) -> None:
        if receiver in self:
            return
        names = self._names + len(receiver)
        if len(self) >= _MOST or names > _MOST_NAMES:
            raise ValueError(f"an order to pause {shorten(receiver)}, beside {len(self)} others")
        self._names = names
        self[receiver] = PausedReceiver(receiver)
        self._dispatcher.remove_route(receiver)

    def release(self) -> None:
        """Resume all receivers, as the session is over."""
        paused = list(self.values())
        self.clear()
        self._names = 0
        for receiver in paused:
            receiver.open()


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
