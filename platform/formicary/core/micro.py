"""Micro-agents: the lightest agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import force_setattr

from formicary.core.base_agent import AgentState, BaseAgent
from formicary.core.errors import AgentStateError
from formicary.core.message import check_unsent, stamp

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from formicary.core.mailbox import Deliver, MessageSink, Routes
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler
    from formicary.core.strand import Strand


class MicroInbox:
    """The entrance of a micro-agent's messages to its container's queue.

    As with mailboxes, all that a message touches is here, in objects of one class, whatever the agent's.
    """

    __slots__ = ("address", "agent", "handle", "handling", "limit", "messages", "routes", "scheduler")

    def __init__(self, agent: MicroAgent, scheduler: Scheduler, routes: Routes) -> None:
        self.agent = agent
        self.address = agent.address
        self.handle: Callable[[Message], Any] = agent.handle
        self.routes = routes
        self.scheduler = scheduler
        self.messages = scheduler.micro
        self.limit = scheduler.limit
        self.handling: set[Strand] | None = None  # what its asynchronous `handle` has not ended

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message; return this inbox if the queue is full."""
        messages = self.messages
        if len(messages) >= self.limit:
            return (self,)
        messages.append(self.handle)
        messages.append(message)
        if not self.scheduler.awake:
            self.scheduler.wake()
        return None

    def put(self, message: Message) -> bool:
        """Accept a message; return False if the queue is full."""
        return self.accept(message) is None

    def set_open(self, *, is_open: bool) -> None:
        """Accept messages, or refuse them as if there were no room."""
        self.limit = self.scheduler.limit if is_open else -1

    @property
    def is_open(self) -> bool:
        """Whether it accepts messages."""
        return self.limit >= 0

    async def room(self) -> None:
        """Wait for room in the queue; it may be taken again by the time the caller runs."""
        await self.scheduler.room()

    def is_done(self) -> bool:
        """Return whether the agent is gone."""
        return self.agent.state is AgentState.GONE

    def __str__(self) -> str:
        return f"the mailbox of micro-agent {self.agent.name} (that is, its container's queue)"


class MicroAgent(BaseAgent):
    """An agent that consists of one method, called with each message, without its own task or mailbox.

    Its messages wait in its container's queue, which all micro-agents share. An `async def handle` may be
    called with the next message while it is awaiting something.

    Args:
        name: its name, unique in its container, such as `"cell-17"`.

    Raises:
        InvalidNameError: the name is invalid.
    """

    __slots__ = ("micro_inbox",)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.micro_inbox: MicroInbox | None = None

    def handle(self, message: Message) -> Awaitable[None] | None:
        """Handle a message; for subclasses, as a plain or `async` method.

        Args:
            message: a message to this agent.
        """
        raise NotImplementedError(f"{type(self).__name__} has no handle()")

    async def send(self, message: Message) -> None:
        """Send a message, waiting while there is no room; arguments and errors as of `Behaviour.send`."""
        inbox = self.micro_inbox
        if inbox is None:
            await self.container.dispatcher.send(self._stamped(message))
            return
        try:
            sender = message.sender
            if sender is None:
                force_setattr(message, "sender", inbox.address)
            elif sender != inbox.address:
                message = stamp(message, inbox.address)
        except (AttributeError, TypeError):
            check_unsent(message)
            raise
        deliver = inbox.routes.get(message.to)
        if deliver is None:
            await self._container.dispatcher.send(message)
        elif full := deliver(message):
            await self._container.dispatcher.overflow.wait_to_deliver(message, full)

    def send_nowait(self, message: Message) -> None:
        """Send a message from plain code, which cannot wait.

        Args:
            message: the message, with at least one receiver.

        Raises:
            MailboxFullError: a mailbox, or the link to another container, has no room; the receivers before
                it have the message.
            ContainerClosedError: this agent is not in a running container.
        """
        inbox = self.micro_inbox
        if inbox is None:
            self.container.dispatcher.send_nowait(self._stamped(message))
            return
        try:
            sender = message.sender
            if sender is None:
                force_setattr(message, "sender", inbox.address)
            elif sender != inbox.address:
                message = stamp(message, inbox.address)
        except (AttributeError, TypeError):
            check_unsent(message)
            raise
        deliver = inbox.routes.get(message.to)
        if deliver is None:
            self._container.dispatcher.send_nowait(message)
        elif full := deliver(message):
            self._container.dispatcher.overflow.refuse(message, full)

    async def stop(self) -> None:
        """End the agent; messages that still wait for it become dead letters. Again, it does nothing.

        Unfinished calls of an asynchronous `handle` are cancelled, except one that calls this.
        """
        strands = self.handling_strands()
        inside = any(strand.running for strand in strands)
        self.end_at_once()
        if strands and not inside:
            await self._container.lifecycle.wait_for_end(strands)

    def end_at_once(self) -> None:
        """End the agent without waiting for it; for its container."""
        self.become_gone()
        for strand in self.handling_strands():
            if not strand.running and not strand.cancelling():
                strand.cancel()

    def handling_strands(self) -> tuple[Strand, ...]:
        """Return the unfinished calls of its asynchronous `handle`."""
        return tuple(self.micro_inbox.handling or ()) if self.micro_inbox else ()

    def become_active(self, scheduler: Scheduler, limit: int) -> None:
        """Create the inbox; for the container."""
        del limit  # its messages wait in the queue, which has a limit of its own
        self._state = AgentState.ACTIVE
        self.micro_inbox = MicroInbox(self, scheduler, self._container.dispatcher.routes)

    def message_entrance(self) -> Deliver:
        """Return the function that accepts messages."""
        assert self.micro_inbox is not None
        return self.micro_inbox.accept

    deliver_message = property(message_entrance)

    # -- an asynchronous handle -----------------------------------------------------------------------------

    def strand_waits(self, strand: Strand) -> None:
        """Called with the strand of a `handle` that waits; for the scheduler."""
        inbox = self.micro_inbox
        assert inbox is not None
        if inbox.handling is None:
            inbox.handling = set()
        inbox.handling.add(strand)

    def refuse_returned(self, returned: object) -> None:
        """Called with a useless result of `handle`; for the scheduler."""
        kind = type(returned).__name__
        error = AgentStateError(f"handle() of agent {self.name} returned {kind}; it must return None")
        self._container.lifecycle.handle_failed(self, error)

    def unreceived(self) -> Sequence[Message]:
        """Return nothing: its messages wait in the container's queue."""
        return ()

    def strand_name(self) -> str:
        """Return a name for the strand of a handler; for it."""
        return f"{self.name}/handle"

    def give_back(self, message: Message) -> None:
        """Do nothing: a handler does not wait for messages; for the strand."""

    def strand_ended(self, strand: Strand) -> None:
        """Called when an asynchronous `handle` has ended; for the strand."""
        if self.micro_inbox is not None and self.micro_inbox.handling is not None:
            self.micro_inbox.handling.discard(strand)
        if (error := strand.failure()) is not None:
            self._container.lifecycle.handle_failed(self, error)
