"""Messages for an agent that is at rest before a move, or about to wake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.delivery.dead_letters import is_failure
from formicary.delivery.room import Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.core.base_agent import AgentState
    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message


class HeldMessages(Gate):
    """The messages that arrived for an agent since it came to rest; no behaviour has been offered them.

    Args:
        address: the full name of the agent.
        limit: how many messages may wait; 0 for any number.
        state: the agent's before it came to rest.
    """

    __slots__ = ("limit", "messages", "state")

    def __init__(self, address: str, limit: int, state: AgentState) -> None:
        super().__init__(address)
        self.limit = limit
        self.state = state
        self.messages: list[Message] = []

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

    def end(self) -> Sequence[Message]:
        """Return what waits, in order, and open: the agent continues, here or elsewhere."""
        self.open()
        left, self.messages = self.messages, []
        return left

    def __str__(self) -> str:
        return f"the mailbox of agent {self.address.partition('@')[0]}, which is moving,"
