"""Which messages belong to the conversations of one agent."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import force_setattr

from formicary.core import randomness
from formicary.core.errors import AgentStateError, ContainerClosedError, InvalidMessageError
from formicary.core.message import copied
from formicary.protocols.gathering import Answers
from formicary.protocols.questions import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime, timedelta

    from formicary.core.base_agent import BaseAgent
    from formicary.core.errors import FormicaryError
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message
    from formicary.protocols.service import ConversationService


class Expecting(Protocol):
    """Who waits for messages of a conversation."""

    def offer(self, message: Message) -> bool:
        """Take a message; return False if it does not belong there."""

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Called when agents have ended; `is_ended` tells of a full name whether it is one of them."""

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when the agent itself has ended."""


class Conversations:
    """The conversations of one agent: they get their messages before its behaviours do.

    Args:
        service: the container's part.
        agent: the agent.
    """

    __slots__ = ("_dispatcher", "_numbers", "_prefix", "address", "agent", "expected", "service")

    def __init__(self, service: ConversationService, agent: BaseAgent) -> None:
        assert agent.address is not None
        self.service = service
        self.agent = agent
        self.address = agent.address
        self.expected: dict[str, Expecting] = {}
        """By what the answers have in `in_reply_to`."""
        self._dispatcher = service.container.dispatcher
        self._prefix = f"{randomness.name(16)}-"  # nobody who was not asked can know it
        self._numbers = count(1)

    def new_name(self) -> str:
        """Return a new name for a question or a conversation of this agent."""
        return f"{self._prefix}{next(self._numbers):x}"

    @property
    def platform(self) -> str:
        """The domain of the own platform."""
        return self._dispatcher.platform

    # -- the way in -----------------------------------------------------------------------------------------

    def entrance(self, beyond: Deliver) -> Deliver:
        """Return the way in to the agent.

        Args:
            beyond: what takes the messages that belong to no conversation.
        """
        expected, prefix = self.expected, self._prefix

        def accept(message: Message) -> Sequence[MessageSink] | None:
            name = message.in_reply_to
            if name is not None:
                if (expecting := expected.get(name)) is not None:
                    if expecting.offer(message):
                        return None
                elif name.startswith(prefix):
                    self._take_late(message)
                    return None
            return beyond(message)

        return accept

    def _take_late(self, message: Message) -> None:
        """Take an answer that nobody waits for any more."""
        reason = f"agent {self.agent.name} does not wait for this answer any more"
        self._dispatcher.add_dead_letter(message, reason, self.address, tell_sender=False)

    # -- asking ---------------------------------------------------------------------------------------------

    async def ask(self, message: Message, timeout: float | None) -> Message:
        """Send a message, and return the answer to it; as of `Behaviour.ask`."""
        if type(message.to) is not str:
            raise InvalidMessageError(
                "ask() asks one agent, which is the message's `to`; gather_answers() asks several"
            )
        name = self.new_name()
        question = Question(
            await self.full_name(message.to), self._dispatcher.platform, self.service.scheduler.loop
        )
        self.expected[name] = question
        try:
            if timeout is not None:
                self.service.deadlines.add(question, timeout)
            await self.send(message, name)
            return await question  # type: ignore[no-any-return]  # it is a message
        finally:
            self.expected.pop(name, None)

    def gather_answers(
        self, messages: Iterable[Message], until: float | timedelta | datetime | None
    ) -> Answers:
        """Return what sends messages and gives the answers to them; as of `Behaviour.gather_answers`."""
        return Answers(self, messages, until)

    async def full_name(self, name: str) -> str:
        """Return the full name of an agent by any of its names."""
        dispatcher = self._dispatcher
        if dispatcher.finder is not None and "@" not in name:
            from formicary.core.message import Message

            if (search := dispatcher.finder.search(Message(to=name))) is not None:
                await search
        return dispatcher.full_name(name)

    async def send(self, message: Message, reply_with: str) -> None:
        """Send a message as this agent's, with a name for the answer; errors as of `Behaviour.send`."""
        if self.service.conversations.get(self.address) is not self:
            raise AgentStateError(f"agent {self.agent.name} has ended, and asks nobody any more")
        message = copied(message)
        force_setattr(message, "sender", self.address)
        force_setattr(message, "reply_with", reply_with)
        deliver = self._dispatcher.routes.get(message.to)
        if deliver is None:
            await self._dispatcher.send(message)
        elif full := deliver(message):
            await self._dispatcher.overflow.wait_to_deliver(message, full)

    # -- ends -----------------------------------------------------------------------------------------------

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Tell who waits for agents that have ended."""
        for expecting in tuple(self.expected.values()):
            expecting.partner_ended(is_ended, reason)

    def close(self) -> None:
        """End all, since the agent has ended here."""
        expected = tuple(self.expected.values())
        self.expected.clear()
        for expecting in expected:
            expecting.asker_ended(ContainerClosedError(f"agent {self.agent.name} has ended meanwhile"))
