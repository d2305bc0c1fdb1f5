"""The platform behaviour that runs a SPADE behaviour, and its mailbox as a queue."""

from __future__ import annotations

import asyncio
from time import time
from typing import TYPE_CHECKING, Any

from formicary.behaviours import Behaviour
from formicary.errors import AgentStateError
from formicary.extending import WAIT, coroutine_function, is_failure
from formicary.spade.message import Message

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator, Sequence

    from formicary import Message as PlatformMessage
    from formicary.extending import MessageSink
    from formicary.spade.agent import Agent
    from formicary.spade.cyclic import CyclicBehaviour


class Runner(Behaviour):
    """Runs one SPADE behaviour and holds its mailbox.

    The platform never cancels it: SPADE behaviours end by themselves.
    """

    __slots__ = ("behaviour", "matches_itself", "owner")

    def __init__(self, behaviour: CyclicBehaviour, owner: Agent) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.owner = owner
        self.matches_itself = behaviour.our_has_own_match()
        self.template_set()

    def template_set(self) -> None:
        """Apply the behaviour's template to its mailbox."""
        wants_all = self.behaviour.template is None and not self.matches_itself
        self.mailbox.matches = _arrived if wants_all else self.wants

    def wants(self, message: PlatformMessage) -> bool:
        """Return whether the behaviour gets a message."""
        if not _arrived(message):
            return False
        if self.matches_itself:
            return self.behaviour.match(self.owner.our_message_of(message))
        template = self.behaviour.template
        return template is None or template.our_takes(message, self.owner)

    @coroutine_function
    def receive_as(self, label: str, timeout: float | None) -> Generator[Any, Any, Any]:
        """Return the next message, as `CyclicBehaviour.receive`, under a label for traces."""
        mailbox = self.mailbox
        if not timeout or mailbox.messages or mailbox.scheduler.current is not mailbox.strand:
            message = yield from self.receive(timeout or 0).__await__()
        else:
            # Inlined wait of `Behaviour.receive`, without its coroutine.
            mailbox.receives = True
            deadline = mailbox.deadline
            if deadline is None or timeout < deadline.armed:
                deadline = mailbox.set_deadline(timeout)
            deadline.timeout = timeout
            deadline.turn = mailbox.scheduler.turn
            message = yield WAIT
            mailbox.burst = 0
            if message is None:
                message = mailbox.next()
        if message is None:
            return None
        owner = self.owner
        container = owner.container
        sender = container.jids.get(message.sender) or container.jid_of(message.sender)
        owner.traces.entries.append((time(), message, label))
        return Message.from_platform(message, owner.jid, sender)

    async def send_far(self, message: PlatformMessage) -> None:
        """Send a message for which there is no route yet; errors as of `Behaviour.send`."""
        if self.mailbox.address is None:
            raise AgentStateError(f"{self} has not started: start its agent first")
        await self.agent.container.dispatcher.send(message)

    async def wait_to_deliver(self, message: PlatformMessage, full: Sequence[MessageSink]) -> None:
        """Wait until there is room for a message; errors as of `Behaviour.send`."""
        await self.agent.container.dispatcher.overflow.wait_to_deliver(message, full)

    def take_nothing(self) -> None:
        """Accept no more messages."""
        self.mailbox.matches = _nothing

    async def run(self) -> None:
        """Do nothing: `main_coroutine` does everything."""

    def main_coroutine(self) -> Coroutine[Any, Any, None]:
        """Return the coroutine of the behaviour's whole life."""
        return self.behaviour.our_live()

    def strand_ended(self, strand: Any) -> None:
        """Called when it has ended; unreceived messages are dropped, as in SPADE."""
        self.mailbox.empty()
        super().strand_ended(strand)

    def __str__(self) -> str:
        return f"behaviour {type(self.behaviour).__name__} of agent {self.owner.jid}"


def _arrived(message: PlatformMessage) -> bool:
    """Return whether a message is not a failure notice, which only the agent gets."""
    return message.performative != "failure" or not is_failure(message)


def _nothing(_: PlatformMessage) -> bool:
    return False


class MessageQueue:
    """A behaviour's mailbox as its attribute `queue`, which SPADE makes an `asyncio.Queue`."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def put(self, message: Message) -> None:
        """Add a message."""
        self.put_nowait(message)

    def put_nowait(self, message: Message) -> None:
        """Add a message.

        Raises:
            asyncio.QueueFull: there is no room.
        """
        if not self._runner.mailbox.put(self._runner.owner.our_inward(message)):
            raise asyncio.QueueFull

    async def get(self) -> Message:
        """Remove and return the next message; wait until there is one."""
        return self._runner.owner.our_message_of(await self._runner.receive())

    def get_nowait(self) -> Message:
        """Remove and return the next message.

        Raises:
            asyncio.QueueEmpty: there is none.
        """
        message = self._runner.mailbox.next()
        if message is None:
            raise asyncio.QueueEmpty
        return self._runner.owner.our_message_of(message)

    def empty(self) -> bool:
        """Return whether there is no message."""
        return not self._runner.mailbox.messages

    def qsize(self) -> int:
        """Return how many messages there are."""
        return self._runner.mailbox_size()
