"""The path to one receiver, from its senders to its mailbox."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary import Message
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary_bench.subjects.variants.delivery.design import DesignedDispatcher

LIMIT = 1000
"""The most messages in transit to a receiver, as many as fit into a mailbox; beyond, senders wait."""


class DeliveryPath:
    """The path to one receiver. It is also a sink, so that senders wait for it as for a mailbox."""

    __slots__ = (
        "_has_room",
        "address",
        "dispatcher",
        "entrance",
        "is_closed",
        "receiver",
        "take",
        "under_way",
    )

    def __init__(self, dispatcher: DesignedDispatcher, receiver: str) -> None:
        self.dispatcher = dispatcher
        self.receiver = receiver
        self.address: str | None = receiver  # whom a message was for that there was no room for
        self.take = dispatcher.design.take
        self.entrance: Deliver | None = None
        """The shortest way into the receiver; None where there is none, or instruments want to be told."""
        self.under_way = 0
        self.is_closed = False
        self._has_room: asyncio.Event | None = None  # as long as senders wait for room

    # -- where it begins ------------------------------------------------------------------------------------

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Pass a message to the design; return this sink if too many are in transit."""
        if self.is_closed or self.under_way >= LIMIT:
            return (self,)
        self.under_way += 1
        self.take(message, self)
        return None

    def put(self, message: Message) -> bool:
        """Pass a message to the design; return False if too many are in transit."""
        return self.accept(message) is None

    async def room(self) -> None:
        """Wait for room; it may be taken again by the time the caller runs."""
        if self._has_room is None:
            self._has_room = asyncio.Event()
        await self._has_room.wait()

    def is_done(self) -> bool:
        """Return False: messages to an ended agent fail on arrival."""
        return False

    # -- where it ends --------------------------------------------------------------------------------------

    def on_arrival(self) -> None:
        """Called when a message has arrived."""
        self.under_way -= 1
        if self._has_room is not None and not self.is_closed:
            self._wake_senders()

    def pause_sender(self, receiver: str, *, is_paused: bool) -> None:
        """Hold messages back while some wait for the receiver's mailbox; for `Overflow`."""
        del receiver
        self.is_closed = is_paused
        if self._has_room is not None and not is_paused:
            self._wake_senders()

    def deliver(self, message: Message) -> Sequence[MessageSink] | None:
        """Hand a message over at once; return the mailboxes that are full."""
        entrance = self.entrance
        return entrance(message) if entrance else self.dispatcher.hand_over(message, self.receiver)

    def _wake_senders(self) -> None:
        if self._has_room is not None:
            self._has_room.set()
            self._has_room = None

    def __str__(self) -> str:
        return f"the path to {self.receiver}"


class QueuedDelivery:
    """The sink of a message that waits to be handed over after others."""

    def __init__(self, path: DeliveryPath) -> None:
        self.address: str | None = None  # who hands over tells instruments by itself, at the first attempt
        self._path = path
        self._full: list[MessageSink] | None = None  # those that had no room at the first attempt

    def put(self, message: Message) -> bool:
        """Hand the message over; return False if a receiver has no room yet."""
        if self._full is None:
            self._full = list(self._path.deliver(message) or ())
            self.address = self._path.receiver
            return not self._full
        self._full = [sink for sink in self._full if not self._has_gone(message, sink)]
        return not self._full

    def _has_gone(self, message: Message, sink: MessageSink) -> bool:
        if sink.is_done():
            reason = f"{sink} ended before it had room for the message"
            self._path.dispatcher.add_dead_letter(message, reason, self.address)
            return True
        return sink.put(message)

    async def room(self) -> None:
        """Wait for room."""
        if self._full:
            await self._full[0].room()

    def is_done(self) -> bool:
        """Return False: only handing over shows which receivers have ended."""
        return False

    def __str__(self) -> str:
        return ", ".join(map(str, self._full or [self._path]))


class DeliveryPaths(dict[Any, "Deliver"]):
    """A container's routes, with paths to its own agents."""

    def __init__(self, dispatcher: DesignedDispatcher) -> None:
        super().__init__()
        self._dispatcher = dispatcher
        self._all: dict[str, DeliveryPath] = {}
        self._own = f"@{dispatcher.domain}"

    def to(self, receiver: str) -> DeliveryPath:
        """Return the path to an agent of the container, the same one as long as messages are on it."""
        path = self._all.get(receiver)
        if path is None:
            path = self._all[receiver] = DeliveryPath(self._dispatcher, receiver)
        return path

    def __setitem__(self, receiver: str, deliver: Deliver) -> None:
        if receiver.endswith(self._own):
            path = self.to(receiver)
            path.entrance, deliver = deliver, path.accept
        super().__setitem__(receiver, deliver)

    def __delitem__(self, receiver: str) -> None:
        self._shut(receiver)
        super().__delitem__(receiver)

    def pop(self, receiver: str, default: Any = None) -> Any:
        """Remove the route to a receiver."""
        self._shut(receiver)
        return super().pop(receiver, default)

    def clear(self) -> None:
        """Remove all routes, so that messages go through the dispatcher."""
        for path in self._all.values():
            path.entrance = None
        super().clear()

    def update(self, pairs: Iterable[tuple[Any, Deliver]]) -> None:  # type: ignore[override]  # all that is used
        """Add routes again."""
        for receiver, deliver in pairs:
            self[receiver] = deliver

    def forget(self, path: DeliveryPath) -> None:
        """Drop an idle path: there may be many, to agents that do not exist."""
        if not path.under_way and not path.is_closed and self._all.get(path.receiver) is path:
            del self._all[path.receiver]

    def _shut(self, receiver: str) -> None:
        path = self._all.get(receiver)
        if path is not None:
            path.entrance = None
            self.forget(path)
