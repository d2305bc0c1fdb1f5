"""Which messages belong to the conversations of one agent."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import force_setattr

from formicary.core import randomness
from formicary.core.errors import AgentStateError, ContainerClosedError, FormicaryError, InvalidMessageError
from formicary.core.message import answer_to, copied
from formicary.protocols.gathering import Answers
from formicary.protocols.participation import Participation
from formicary.protocols.questions import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence
    from datetime import datetime, timedelta
    from typing import Any

    from formicary.core.agent import Agent
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.protocols.service import ConversationService

_QUIET = frozenset(
    {"not-understood", "failure", "refuse", "cancel"}
)  # nobody is told that these come wrongly


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

    __slots__ = (
        "_dispatcher",
        "_numbers",
        "_prefix",
        "address",
        "agent",
        "expected",
        "participation",
        "service",
    )

    def __init__(self, service: ConversationService, agent: Agent | MicroAgent) -> None:
        assert agent.address is not None
        self.service = service
        self.agent = agent
        self.address = agent.address
        self.expected: dict[str, Expecting] = {}
        """By what the answers have in `in_reply_to`."""
        self.participation = Participation(self) if agent.responders else None
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
        expected, participation, prefix, own = self.expected, self.participation, self._prefix, self.address

        def accept(message: Message) -> Sequence[MessageSink] | None:
            name, conversation = message.in_reply_to, message.conversation_id
            if name is not None and (expecting := expected.get(name)) is not None:
                if expecting.offer(message):
                    return None
            elif conversation is not None and conversation in expected and message.sender != own:
                if expected[conversation].offer(message):
                    return None
            elif participation is not None and participation.wants(message):
                return participation.inbox.accept(message)
            elif name is not None and name.startswith(prefix):
                self._take_late(message)
                return None
            return beyond(message)

        return accept

    def out_of_order(self, message: Message, why: str) -> bool:
        """Do what is to be done with a message that has no place in its conversation.

        Args:
            message: the message.
            why: the reason, as a sentence, which both sides are told.

        Returns:
            Whether that is all; else it goes on to the behaviours, as any message.
        """
        self.service.out_of_order += 1
        if not self.service.is_strict:
            return False
        self._dispatcher.add_dead_letter(message, why, self.address, tell_sender=False)
        if message.performative not in _QUIET and message.sender is not None:
            self.post(answer_to(message, why, "not-understood"), None)
        return True

    def _take_late(self, message: Message) -> None:
        """Take an answer that nobody waits for any more."""
        if (message.in_reply_to or "").endswith("/cancel"):
            return
        reason = f"agent {self.agent.name} does not wait for this answer any more"
        self._dispatcher.add_dead_letter(message, reason, self.address, tell_sender=False)

    # -- asking ---------------------------------------------------------------------------------------------

    async def ask(self, message: Message, timeout: float | None) -> Message:
        """Send a message, and return the answer to it; as of `Behaviour.ask`."""
        if type(message.to) is not str:
            raise InvalidMessageError(
                "ask() asks one agent, which is the message's `to`; gather_answers() asks several"
            )
        dispatcher, to = self._dispatcher, message.to
        name = self.new_name()
        asked = dispatcher.full_name(to) if dispatcher.finder is None else await self.full_name(to)
        question = Question(asked, dispatcher.platform, self.service.scheduler.loop)
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
        if (sending := self.hand_over(copied(message), reply_with)) is not None:
            await sending

    def hand_over(self, message: Message, reply_with: str) -> Coroutine[Any, Any, None] | None:
        """Send a message that nobody else has, as this agent's.

        Returns:
            What is to be awaited where it cannot be handed over at once; errors as of `Behaviour.send`.

        Raises:
            AgentStateError: the agent has ended.
        """
        if self.service.conversations.get(self.address) is not self:
            raise AgentStateError(f"agent {self.agent.name} has ended, and asks nobody any more")
        force_setattr(message, "sender", self.address)
        force_setattr(message, "reply_with", reply_with)
        deliver = self._dispatcher.routes.get(message.to)
        if deliver is None:
            return self._dispatcher.send(message)
        full = deliver(message)
        return self._dispatcher.overflow.wait_to_deliver(message, full) if full else None

    def pass_on(self, message: Message) -> None:
        """Hand a message to the agent as any other, which has no place in a conversation."""
        for sink in self.agent.deliver_message(message) or ():
            self._dispatcher.add_dead_letter(message, f"{sink} is full", self.address)

    def post(self, message: Message, reply_with: str | None) -> None:
        """Send a message as this agent's without waiting; where there is no room it is a dead letter."""
        force_setattr(message, "sender", self.address)
        force_setattr(message, "reply_with", reply_with)
        with suppress(FormicaryError):
            self._dispatcher.send_nowait(message)

    # -- ends -----------------------------------------------------------------------------------------------

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Tell who waits for agents that have ended."""
        for expecting in tuple(self.expected.values()):
            expecting.partner_ended(is_ended, reason)
        if self.participation is not None:
            self.participation.partner_ended(is_ended)

    def close(self, reason: str) -> None:
        """End all.

        Args:
            reason: what has become of the agent, as the rest of a sentence.
        """
        if self.participation is not None:
            self.participation.close(f"agent {self.agent.name} {reason}")
        expected = tuple(self.expected.values())
        self.expected.clear()
        for expecting in expected:
            expecting.asker_ended(ContainerClosedError(f"agent {self.agent.name} has ended meanwhile"))
