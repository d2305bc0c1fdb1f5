"""Messages for an agent that is at rest before it moves, or not yet awake: they wait until it goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.container.dead_letters import is_failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.base_agent import AgentState
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class HeldMessages:
    """What has come for one agent since it is at rest: no behaviour was asked yet whether it wants it.

    Args:
        address: the full name of the agent.
        limit: how many messages wait; 0 for any number.
        state: that of the agent before it came to rest.
    """

    __slots__ = ("_senders", "address", "is_over", "limit", "messages", "state")

    def __init__(self, address: str, limit: int, state: AgentState) -> None:
        self.address = address
        self.limit = limit
        self.state = state
        self.messages: list[Message] = []
        self.is_over = False
        """Whether the agent goes on, here or elsewhere: who waits for room hands its message over again."""
        self._senders: list[asyncio.Future[None]] | None = None  # made for the first who waits for room

    def accept(self, message: Message) -> Sequence[MessageSink] | None:
        """Take a message; return this if there is no room."""
        return None if self.put(message) else (self,)

    def put(self, message: Message) -> bool:
        """Take a message; return False if there is no room.

        What tells the agent that messages of its own have failed always finds room: where nobody reads for
        long, it would fail itself, and the agent would never hear of it.
        """
        if self.limit and len(self.messages) >= self.limit and not is_failure(message):
            return False
        self.messages.append(message)
        return True

    async def room(self) -> None:
        """Wait until the agent goes on."""
        future = asyncio.get_running_loop().create_future()
        if self._senders is None:
            self._senders = []
        self._senders.append(future)
        await future

    def is_done(self) -> bool:
        """Say that somebody will receive: here or elsewhere."""
        return False

    def end(self) -> Sequence[Message]:
        """Return what waits, in order; whoever waits for room goes on."""
        self.is_over = True
        for sender in self._senders or ():
            if not sender.done():
                sender.set_result(None)
        left, self.messages = self.messages, []
        return left

    def __str__(self) -> str:
        return f"the mailbox of agent {self.address.partition('@')[0]}, which is moving,"
