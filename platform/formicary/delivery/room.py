"""Delivers messages that wait for room, wherever their receivers are by then."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core.behaviour import Phase
from formicary.core.copies import Copies
from formicary.core.mailbox import Mailbox
from formicary.core.micro import MicroInbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.delivery.dispatcher import Dispatcher


class Gate:
    """A sink that is shut for a while: when it is open, what waits for it is dispatched again.

    Args:
        address: the full name of the receiver.
    """

    __slots__ = ("_senders", "address", "is_open")

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_open = False
        self._senders: list[asyncio.Future[None]] | None = None  # created by the first that waits

    def put(self, message: Message) -> bool:
        """Return False: messages wait elsewhere."""
        del message
        return False

    async def room(self) -> None:
        """Wait until it is open."""
        future = asyncio.get_running_loop().create_future()
        if self._senders is None:
            self._senders = []
        self._senders.append(future)
        await future

    def is_done(self) -> bool:
        """Return False: whatever waits is dispatched again, and may fail there."""
        return False

    def open(self) -> None:
        """Wake all that wait."""
        self.is_open = True
        for sender in self._senders or ():
            if not sender.done():
                sender.set_result(None)


class Room:
    """Delivers to full mailboxes of one container, and to other full sinks.

    Args:
        dispatcher: the container's.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def wait(self, message: Message, waiting: list[MessageSink], *, is_first: bool = False) -> None:
        """Deliver to the sinks that `deliver` found full, as soon as they have room.

        Args:
            message: the message.
            waiting: the sinks; those that have the message, or have ended, are removed from the list.
            is_first: whether it is the first that waits for its receiver.
        """
        while waiting:
            if _is_obsolete(waiting[0]):
                self._hand_on(message, waiting, is_first=is_first)
            elif self.put(message, waiting[0]):
                del waiting[0]
            else:
                await waiting[0].room()

    def _hand_on(self, message: Message, waiting: list[MessageSink], *, is_first: bool) -> None:
        """Dispatch a message again, as its receiver has moved, or the gate has opened."""
        sink = waiting[0]
        receiver = sink.address
        assert receiver is not None  # a sink that can move has one
        of_others = [other for other in waiting if other.address != receiver]
        if self.is_partly_delivered(message, waiting):
            waiting[:] = of_others
            return
        waiting[:] = [sink, *of_others]
        dispatcher = self._dispatcher
        is_forwarded = is_first and receiver in dispatcher.forwarders
        dispatch = dispatcher.overflow.bring if is_forwarded else dispatcher.dispatch_to
        waiting[:1] = dispatch(message, receiver) or ()

    def try_again(self, message: Message, waiting: list[MessageSink]) -> None:
        """Deliver to the sinks that have room now; the others stay in the list.

        Raises:
            FormicaryError: the first sink of the list, as it is then, has refused the message.
        """
        for _ in range(len(waiting)):
            sink = waiting[0]
            if isinstance(sink, Gate):
                is_delivered = not self._dispatcher.dispatch_to(message, sink.address)
            else:
                is_delivered = self.put(message, sink)
            del waiting[0]
            if not is_delivered:
                waiting.append(sink)

    def is_partly_delivered(self, message: Message, waiting: Sequence[MessageSink]) -> bool:
        """Turn a message into a dead letter if some behaviours of its agent, which moves, have had it here.

        Forwarded, it would reach them a second time.
        """
        sink = waiting[0]
        if not isinstance(sink, Mailbox | Copies):
            return False
        wanting = sink.owner.agent.behaviours_wanting(message)
        wait = [each.owner for each in waiting if isinstance(each, Mailbox | Copies)]
        if all(behaviour in wait for behaviour in wanting):
            return False
        reason = f"{sink} had no room for it before the agent moved"
        self._dispatcher.add_dead_letter(message, reason, sink.address)
        return True

    def put(self, message: Message, sink: MessageSink) -> bool:
        """Deliver to a sink, or to the dead letters if it has ended; return False if there is no room."""
        if sink.is_done():
            self._dispatcher.add_dead_letter(
                message, f"{sink} ended before it had room for the message", sink.address
            )
            return True
        if not sink.put(message):
            return False
        dispatcher = self._dispatcher
        if (
            dispatcher.instruments
            and sink.address in dispatcher.agents
            and sink.address not in dispatcher.held
        ):
            dispatcher.notify("message_delivered", message, sink.address)
        return True


def _is_obsolete(sink: MessageSink) -> bool:
    """Return whether messages go another way than by a sink now."""
    if isinstance(sink, Mailbox | Copies):
        return sink.owner.strand_phase == Phase.LEFT
    if isinstance(sink, MicroInbox):
        return not sink.is_open
    return isinstance(sink, Gate) and sink.is_open
