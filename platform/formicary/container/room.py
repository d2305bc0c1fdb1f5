"""Room in mailboxes: what waits for it goes in as soon as there is some, wherever its receiver is by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.container.held import HeldMessages
from formicary.core.behaviour import Phase
from formicary.core.copies import Copies
from formicary.core.mailbox import Mailbox
from formicary.core.micro import MicroInbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.container.dispatcher import Dispatcher
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class Room:
    """Delivers to full mailboxes of one container, and to whatever else is full.

    Args:
        dispatcher: the container's.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher

    async def wait(self, message: Message, waiting: list[MessageSink], *, is_first: bool = False) -> None:
        """Deliver to the sinks that `deliver` found full, as soon as they have room.

        Args:
            message: the message.
            waiting: the sinks; those that have the message, or have ended, are taken off the list.
            is_first: whether it is the first of its receiver's line: what waits there is to come after it.
        """
        while waiting:
            if _has_moved(waiting[0]):
                self._hand_on(message, waiting, is_first=is_first)
            elif self.put(message, waiting[0]):
                del waiting[0]
            else:
                await waiting[0].room()

    def _hand_on(self, message: Message, waiting: list[MessageSink], *, is_first: bool) -> None:
        """Hand a message over again that waits for an agent that has moved meanwhile."""
        sink = waiting[0]
        receiver = sink.address
        assert receiver is not None  # it is one agent's
        of_others = [other for other in waiting if other.address != receiver]
        if self.is_partly_delivered(message, waiting):
            waiting[:] = of_others
            return
        waiting[:] = [sink, *of_others]
        detour = self._dispatcher.detours.get(receiver) if is_first else None
        if detour is not None:
            waiting[:1] = detour.pass_on(message, receiver) or ()
        else:
            waiting[:1] = self._dispatcher.dispatch_to(message, receiver) or ()

    def is_partly_delivered(self, message: Message, waiting: Sequence[MessageSink]) -> bool:
        """Make a dead letter of a message if some behaviours of its agent, which moves, have had it here.

        Sent on, it would reach them a second time.
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


def _has_moved(sink: MessageSink) -> bool:
    """Return whether messages for the agent that a sink belongs to go another way now."""
    if isinstance(sink, Mailbox | Copies):
        return sink.owner.strand_phase == Phase.LEFT
    if isinstance(sink, MicroInbox):
        return not sink.is_open
    return isinstance(sink, HeldMessages) and sink.is_over
