"""What runs a behaviour of SPADE in a container: a behaviour of the platform, and its mailbox as a queue."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from formicary.container.dead_letters import is_failure
from formicary.core.behaviours import Behaviour
from formicary.core.errors import AgentStateError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message as PlatformMessage
    from formicary.core.strand import Strand
    from formicary.spade.agent import Agent
    from formicary.spade.cyclic import CyclicBehaviour
    from formicary.spade.message import Message


class Runner(Behaviour):
    """Runs one behaviour of SPADE, and has its messages.

    Nothing of the platform's own cancels it: SPADE's behaviours end when they come to their end.

    Args:
        behaviour: the behaviour.
        owner: its agent.
    """

    __slots__ = ("behaviour", "matches_itself", "owner")

    def __init__(self, behaviour: CyclicBehaviour, owner: Agent) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.owner = owner
        self.matches_itself = behaviour.has_own_match()
        self.mailbox.matches = self.wants

    def wants(self, message: PlatformMessage) -> bool:
        """Tell whether the behaviour is to get a message; what did not arrive is for its agent alone."""
        if message.performative == "failure" and is_failure(message):
            return False
        if self.matches_itself:
            return self.behaviour.match(self.owner.message_of(message))
        template = self.behaviour.template
        return template is None or template.takes(message, self.owner)

    async def send_far(self, message: PlatformMessage) -> None:
        """Send a message to which there is no way yet; errors as of `Behaviour.send`."""
        if self.mailbox.address is None:
            raise AgentStateError(f"{self} has not started: start its agent first")
        await self.agent.container.dispatcher.send(message)

    async def wait_to_deliver(self, message: PlatformMessage, full: Sequence[MessageSink]) -> None:
        """Wait until there is room for a message; errors as of `Behaviour.send`."""
        await self.agent.container.dispatcher.overflow.wait_to_deliver(message, full)

    def take_nothing(self) -> None:
        """Want no message any more."""
        self.mailbox.matches = _nothing

    async def run(self) -> None:
        """Do nothing: `main_coroutine` is all that there is."""

    def main_coroutine(self) -> Coroutine[Any, Any, None]:
        """Return what the behaviour does from its beginning to its end."""
        return self.behaviour.live()

    def strand_ended(self, strand: Strand) -> None:
        """Called when it has ended; what it has not received is dropped, as SPADE does."""
        self.mailbox.empty()
        super().strand_ended(strand)

    def __str__(self) -> str:
        return f"behaviour {type(self.behaviour).__name__} of agent {self.owner.jid}"


def _nothing(_: PlatformMessage) -> bool:
    return False


class MessageQueue:
    """A behaviour's mailbox as its attribute `queue`, which SPADE makes an `asyncio.Queue`.

    Args:
        runner: whose mailbox it is.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def put(self, message: Message) -> None:
        """Put a message in."""
        self.put_nowait(message)

    def put_nowait(self, message: Message) -> None:
        """Put a message in.

        Raises:
            asyncio.QueueFull: there is no room.
        """
        if not self._runner.mailbox.put(self._runner.owner.inward(message)):
            raise asyncio.QueueFull

    async def get(self) -> Message:
        """Take the next message out, and wait until there is one."""
        return self._runner.owner.message_of(await self._runner.receive())

    def get_nowait(self) -> Message:
        """Take the next message out.

        Raises:
            asyncio.QueueEmpty: there is none.
        """
        message = self._runner.mailbox.next()
        if message is None:
            raise asyncio.QueueEmpty
        return self._runner.owner.message_of(message)

    def empty(self) -> bool:
        """Tell whether there is no message."""
        return not self._runner.mailbox.messages

    def qsize(self) -> int:
        """Return how many messages there are."""
        return self._runner.mailbox_size()
