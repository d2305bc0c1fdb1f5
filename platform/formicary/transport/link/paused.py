"""Where senders wait for receivers elsewhere with full mailboxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
