"""Messages for an agent that is at rest before a move, or about to wake."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.delivery.dead_letters import is_failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.base_agent import AgentState
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class HeldMessages:
    """The messages that arrived for an agent since it came to rest; no behaviour has been offered them.

    Args:
        address: the full name of the agent.
        limit: how many messages may wait; 0 for any number.
        state: the agent's before it came to rest.
    """

    __slots__ = ("_senders", "address", "is_over", "limit", "messages", "state")

    def __init__(self, address: str, limit: int, state: AgentState) -> None:
        self.address = address
        self.limit = limit
        self.state = state
        self.messages: list[Message] = []
        self.is_over = False
        """Whether the agent continues, here or elsewhere: what waits for room is dispatched again."""
        self._senders: list[asyncio.Future[None]] | None = None  # created by the first that waits for room

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Accept a message; return this if there is no room."""
        return None if self.put(message) else (self,)

    def put(self, message: Message) -> bool:
        """Accept a message; return False if there is no room.

        Failures of the agent's own messages are always accepted: refused, they would be lost, as failures
        of failures are not reported.
        """
        if self.limit and len(self.messages) >= self.limit and not is_failure(message):
            return False
        self.messages.append(message)
        return True

    async def room(self) -> None:
        """Wait until the agent continues."""
        future = asyncio.get_running_loop().create_future()
        if self._senders is None:
            self._senders = []
        self._senders.append(future)
        await future

    def is_done(self) -> bool:
        """Return False: the agent continues, here or elsewhere."""
        return False

    def end(self) -> Sequence[Message]:
        """Return what waits, in order, and wake all that wait for room."""
        self.is_over = True
        for sender in self._senders or ():
            if not sender.done():
                sender.set_result(None)
        left, self.messages = self.messages, []
        return left

    def __str__(self) -> str:
        return f"the mailbox of agent {self.address.partition('@')[0]}, which is moving,"
