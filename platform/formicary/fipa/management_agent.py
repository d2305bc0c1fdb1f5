"""The agent `ams` of every container, which answers for it and asks others (FIPA00023)."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from formicary.core import randomness
from formicary.core.answer import Answer
from formicary.core.base_agent import ANSWERS_WITHIN
from formicary.core.errors import (
    ContainerClosedError,
    FormicaryError,
    MailboxFullError,
    NoAnswerError,
    UndeliveredError,
)
from formicary.core.message import Message
from formicary.core.micro import MicroAgent
from formicary.core.names import MANAGEMENT
from formicary.fipa.language import LANGUAGE, ONTOLOGY, REQUEST

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Handler = Callable[[Message], Awaitable[None] | None]

_ANSWERS = frozenset({"inform", "refuse", "failure", "not-understood"})
_QUIET = _ANSWERS | {"agree"}  # never answered, or two agents could answer each other for ever
_MOST = 1000  # requests being handled, some of which wait for other containers
_TICK = 1.0  # s between checks for questions that have timed out


class ManagementAgent(MicroAgent):
    """A container's own agent, which asks other agents, and passes requests to handlers by ontology."""

    __slots__ = ("_conversations", "_handlers", "_numbers", "_pending", "_prefix", "_timer")

    _speaks_for_container: ClassVar = True

    def __init__(self) -> None:
        super().__init__(MANAGEMENT)
        # By the answer's in_reply_to: the waiter, the receiver, and the deadline by the loop's clock.
        self._pending: dict[str, tuple[Answer, Any, float]] = {}
        self._prefix = randomness.name(12)  # so that answers to an earlier container do not match
        self._timer: asyncio.TimerHandle | None = None
        self._conversations: dict[str, Callable[[Message], None]] = {}  # by conversation
        self._handlers: dict[str, Handler] = {}
        self._numbers = count(1)

    def serve(self, ontology: str, handler: Handler) -> None:
        """Pass messages of an ontology, except for answers, to `handler` from now on."""
        self._handlers[ontology] = handler

    # -- asking ---------------------------------------------------------------------------------------------

    def new_name(self) -> str:
        """Return a new name for a request or a conversation of this agent."""
        return f"{self._prefix}-{next(self._numbers)}"

    def make_request(
        self,
        receiver: str,
        body: str | bytes,
        ontology: str,
        *,
        performative: str = "request",
        protocol: str = REQUEST,
        conversation_id: str | None = None,
    ) -> Message:
        """Return a request in JSON to another agent, for `ask`."""
        # Positional arguments take half the time of keyword arguments.
        return Message(
            receiver, None, body, performative, None, None, LANGUAGE, None, ontology, protocol,
            conversation_id, f"{self._prefix}-{next(self._numbers)}",
        )  # fmt: skip

    async def ask(self, message: Message, timeout: float = ANSWERS_WITHIN) -> Message:
        """Send a request, and return the final answer, not an `agree`.

        Args:
            message: the result of `make_request`.
            timeout: seconds, accurate to one second.

        Raises:
            UndeliveredError: it could not be delivered.
            NoAnswerError: the time is over.
            FormicaryError: it cannot be sent.
        """
        name = message.reply_with
        assert name is not None
        loop = asyncio.get_running_loop()
        answer = Answer(loop=loop)
        # One timer for all: setting and cancelling one for each question would cost as much as asking.
        self._pending[name] = answer, message.to, loop.time() + timeout
        if self._timer is None:
            self._timer = loop.call_later(_TICK, self._expire)
        try:
            await self.send(message)
            return await answer  # type: ignore[no-any-return]  # it is a message
        finally:
            del self._pending[name]

    def _expire(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for answer, receiver, until in self._pending.values():
            if now >= until and not answer.done():
                answer.fail(NoAnswerError(f"{receiver} did not answer in time"))
        self._timer = loop.call_later(_TICK, self._expire) if self._pending else None

    def follow(self, conversation: str, notice: Callable[[Message], None]) -> None:
        """Call `notice` with each message of a conversation, including answers to requests."""
        self._conversations[conversation] = notice

    def unfollow(self, conversation: str) -> None:
        """Stop following a conversation."""
        self._conversations.pop(conversation, None)

    channel = "management"

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member."""

    def lost(self, domain: str) -> None:
        """Called when another container is no longer a member: nobody there will answer."""
        name = domain.partition(".")[0]
        for answer, receiver, _ in self._pending.values():
            if not answer.done() and str(receiver).partition("@")[2] == domain:
                answer.fail(UndeliveredError(f"container {name} has ended before {receiver} answered"))

    def on_control(self, domain: str, payload: bytes) -> None:
        """Refuse control messages: others ask by agent messages."""
        raise ValueError(f"{domain} sent {len(payload)} bytes to a management agent")

    # -- incoming requests ----------------------------------------------------------------------------------

    def make_answer(self, message: Message, performative: str, body: str | bytes) -> Message | None:
        """Return an answer in JSON to a request; make a dead letter and return None if there can be none."""
        try:
            answer = message.make_reply(performative=performative, body=body)
            if answer.language == LANGUAGE and answer.protocol == REQUEST and answer.ontology is not None:
                return answer  # requests of containers have all this
            return answer.replace(language=LANGUAGE, ontology=message.ontology or ONTOLOGY, protocol=REQUEST)
        except FormicaryError as error:
            reason = f"it cannot be answered: {error}"
            self.container.dispatcher.add_dead_letter(message, reason, self.address, tell_sender=False)
            return None

    def handle(self, message: Message) -> Awaitable[None] | None:
        """Handle a message."""
        performative = message.performative
        if performative == "inform" and message.conversation_id is None:
            asked = self._pending.get(message.in_reply_to or "")
            if asked is not None and not asked[0].done():
                asked[0].settle(message)
                return None
        if performative in _QUIET:
            self._take_answer(message)
            return None
        handler = self._handlers.get(message.ontology or ONTOLOGY)
        if handler is not None:
            inbox = self.micro_inbox
            if inbox is None or inbox.handling is None or len(inbox.handling) < _MOST:
                return handler(message)
            self._refuse(message, f"the container is already handling {_MOST} requests; try again later")
            return None
        self._refuse(message, f"the container does not know the ontology {message.ontology!r}")
        return None

    def _take_answer(self, message: Message) -> None:
        asked = self._pending.get(message.in_reply_to or "")
        notice = self._conversations.get(message.conversation_id or "")
        if notice is not None:
            notice(message)
        if asked is not None:
            answer = asked[0]
            if message.performative != "agree" and not answer.done():
                self._settle(answer, message)
        elif notice is None and not self._is_late(message):
            reason = f"the management agent of container {self.container.name} has asked for no such answer"
            self.container.dispatcher.add_dead_letter(message, reason, self.address, tell_sender=False)

    def _is_late(self, message: Message) -> bool:
        """Return whether a message answers a request that nobody waits for any more."""
        return message.performative == "failure" or (message.in_reply_to or "").startswith(self._prefix)

    def _settle(self, answer: Answer, message: Message) -> None:
        receiver = message.get_metadata("receiver")
        if receiver is not None and (message.sender or "").startswith(f"{MANAGEMENT}@"):
            answer.fail(UndeliveredError(str(message.body)))
        else:
            answer.settle(message)

    def _refuse(self, message: Message, reason: str) -> None:
        try:
            self.send_nowait(message.make_reply(performative="not-understood", body=reason))
        except (ContainerClosedError, MailboxFullError):
            return  # a sender that asks so much and reads no answers need not get one
