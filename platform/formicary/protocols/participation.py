"""How an agent takes part in conversations that others begin: its methods are called with what they say."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from typing import TYPE_CHECKING, Any

from formicary.core.base_agent import AgentState
from formicary.core.errors import DefinitionError, FormicaryError, ProtocolError
from formicary.core.message import answer_to
from formicary.core.micro import MicroInbox
from formicary.core.quoting import shorten
from formicary.protocols.dialogue import Dialogue
from formicary.protocols.responding import Failure, Inform, Participant, Refuse, Reply, Say, as_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.core.message import Message
    from formicary.core.strand import Strand
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.responding import Responder

_UNCALLED: Any = object()
_MOST = 100_000  # conversations of one agent at once
_HELD = frozenset({AgentState.SUSPENDED, AgentState.WAITING})


class Participation:
    """The conversations that an agent takes part in. To the scheduler it is a micro-agent.

    Args:
        conversations: of the agent.
    """

    def __init__(self, conversations: Conversations) -> None:
        service, agent = conversations.service, conversations.agent
        self.conversations = conversations
        self.agent = agent
        self.name = agent.name
        self.address = agent.address
        self.responders: dict[tuple[str | None, str | None], Responder] = dict(agent.responders)
        self.plain = {each.name for each in self.responders.values() if _is_plain(agent, each.name)}
        """The names of the methods that are plain functions."""
        self.inbox = MicroInbox(self, service.scheduler, service.container.dispatcher.routes)  # type: ignore[arg-type]  # it has what is needed of one
        self._joined: dict[tuple[str | None, str | None], Turn] = {}
        self._held: deque[Message] = deque()

    # -- messages -------------------------------------------------------------------------------------------

    def wants(self, message: Message) -> bool:
        """Tell whether a message belongs to such a conversation, or begins one."""
        if message.protocol is None:
            return False
        key = (message.conversation_id or message.reply_with, message.sender)
        if key in self._joined:
            return True
        responder = self.responders.get((message.protocol, message.performative))
        if responder is None or len(self._joined) >= _MOST:
            return False
        self._joined[key] = Turn(self, responder, key)
        return True

    def handle(self, message: Message) -> Coroutine[Any, Any, None] | None:
        """Take a message out of the queue; for the scheduler."""
        if self.agent.state in _HELD:
            self._held.append(message)
            return None
        turn = self._joined.get((message.conversation_id or message.reply_with, message.sender))
        if turn is None:
            self.conversations.out_of_order(message, f"agent {self.name} has ended this conversation")
            return None
        return turn.take(message)

    def go_on(self) -> None:
        """Handle what has come while the agent was suspended."""
        held, self._held = self._held, deque()
        for message in held:
            self.inbox.messages += (self.handle, message)
        if held and not self.inbox.scheduler.awake:
            self.inbox.scheduler.wake()

    def leave(self, turn: Turn) -> None:
        """End a conversation."""
        self._joined.pop(turn.key, None)

    def partner_ended(self, is_ended: Callable[[str], bool]) -> None:
        """End the conversations with agents that have ended."""
        for turn in tuple(self._joined.values()):
            if is_ended(turn.dialogue.partner):
                turn.break_off()

    def close(self, reason: str) -> None:
        """End all; who waits for the agent is told the reason."""
        dispatcher = self.conversations.service.container.dispatcher
        for turn in tuple(self._joined.values()):
            latest = turn.dialogue.latest
            if latest is not None and not turn.dialogue.is_over:
                dispatcher.tell_sender(latest, str(self.address), reason)
            turn.break_off()
        service = self.conversations.service
        service.ending = [strand for strand in service.ending if not strand.done()]
        service.ending += self.inbox.handling or ()
        for message in self._held:
            dispatcher.add_dead_letter(message, reason, self.address)
        self._held.clear()

    # -- what the scheduler asks of a micro-agent -----------------------------------------------------------

    @property
    def state(self) -> AgentState:
        """The agent's state."""
        return self.agent.state

    @property
    def _container(self) -> Any:
        return self.conversations.service.container

    def record_failure(self, part: str, error: BaseException) -> None:
        """Note that a part of the agent has failed."""
        self.agent.record_failure(part, error)

    def goes_on(self, strand: Strand) -> None:
        """Called with the strand of an answer that waits now."""
        if self.inbox.handling is None:
            self.inbox.handling = set()
        self.inbox.handling.add(strand)

    def strand_name(self) -> str:
        """Return a name for the strand of an answer."""
        return f"{self.name}/responds"

    def give_back(self, message: Message) -> None:
        """Take nothing back: an answer waits for no messages."""

    def ended(self, strand: Strand) -> None:
        """Called when an answer has ended."""
        if self.inbox.handling is not None:
            self.inbox.handling.discard(strand)
        if (error := strand.failure()) is not None:
            self.agent.record_failure("responds", error)


class Turn:
    """One conversation, as its participant.

    Args:
        participation: the agent's.
        responder: what answers.
        key: the conversation's name, and who has begun it.
    """

    __slots__ = (
        "_generator",
        "_handler",
        "_is_async",
        "_is_busy",
        "_later",
        "_participation",
        "_responder",
        "_task",
        "dialogue",
        "key",
    )

    def __init__(
        self, participation: Participation, responder: Responder, key: tuple[str | None, str | None]
    ) -> None:
        self.key = key
        self._participation = participation
        self._responder = responder
        protocol = responder.protocol
        self.dialogue = Dialogue(
            participation.conversations, protocol, protocol.roles[1], str(key[1]), f"{key[0]}/p", None
        )
        self._handler: Any = None
        self._generator: Any = None
        self._is_async = False
        self._task: asyncio.Task[Any] | None = None
        self._later: deque[Message] | None = None  # what has come while it was busy
        self._is_busy = False

    def take(self, message: Message) -> Coroutine[Any, Any, None] | None:
        """Take a message of the initiator's; return what answers it."""
        why = self.dialogue.hear(message)
        if why is not None:
            if not self._participation.conversations.out_of_order(message, why):
                self._participation.conversations.pass_on(message)
            return None
        if message.performative in {"cancel", "not-understood"}:
            if message.performative == "cancel":
                self._participation.conversations.post(_answer(message, Inform()), None)
            self.break_off()
            return None
        if self._is_busy:
            self._later = self._later or deque()
            self._later.append(message)
            return None
        is_plain = self._responder.name in self._participation.plain
        return self._answer_at_once(message) if is_plain else self._answer(message)

    def _answer_at_once(self, message: Message) -> Coroutine[Any, Any, None] | None:
        """Answer by a plain function; return what is left to do where that needs time, or is not as usual."""
        try:
            returned = self._call(message)
        except Exception as error:  # noqa: BLE001 -- it is raised again there
            return self._answer(message, error)
        reply = returned if isinstance(returned, Reply) else _plain_reply(returned)
        if reply is None or self._generator is not None or not self._can(reply.performative):
            return self._answer(message, returned)
        waiting = self._participation.conversations.hand_over(
            self.dialogue.say(reply.performative, reply.body, **reply.fields), self.dialogue.name
        )
        if self.dialogue.is_over:
            self._participation.leave(self)
        return waiting

    def break_off(self) -> None:
        """End without another word."""
        self._participation.leave(self)
        if self._task is not None and not self._task.done():
            self._task.cancel()
        elif inspect.isgenerator(self._generator):
            self._generator.close()

    async def _answer(self, message: Message | None, outcome: Any = _UNCALLED) -> None:
        self._is_busy = True
        try:
            while message is not None:
                await self._go(message, outcome)
                outcome = _UNCALLED
                message = self._later.popleft() if self._later else None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.key in self._participation._joined or task is None:  # noqa: SLF001 -- not broken off
                raise
            task.uncancel()
        finally:
            self._is_busy = False
            if self.dialogue.is_over:
                self._participation.leave(self)
                if inspect.isasyncgen(self._generator):
                    await self._generator.aclose()
                elif self._generator is not None:
                    self._generator.close()

    async def _go(self, message: Message, outcome: Any) -> None:
        """Say what is to be said after a message.

        Args:
            message: the message.
            outcome: what the agent's code has returned or raised already; `_UNCALLED` if it was not called.
        """
        given: Message | None = message
        while True:
            try:
                returned = self._call(given) if outcome is _UNCALLED else _come_of(outcome)
                outcome = _UNCALLED
                if inspect.isawaitable(returned):
                    self._task = asyncio.current_task()
                    try:
                        returned = await returned
                    finally:
                        self._task = None
                if returned is not _NOTHING:
                    await self._say(self._reply(returned))
            except (StopIteration, StopAsyncIteration) as end:
                self._generator, self._handler = None, _end
                value = end.value if isinstance(end, StopIteration) else None
                if value is None and not self._can("inform"):
                    return
                await self._say(self._reply(value))
            except (Refuse, Failure) as error:
                await self._say(self._bad(error))
                return
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 -- the agent's own code: both sides are told
                self._participation.record_failure(self._responder.name, error)
                await self._say(Say("failure", f"{type(error).__name__}: {error}"))
                return
            goes_on = self.dialogue.state in self._responder.protocol.speaks_alone
            if self._generator is None or self._later or not goes_on:
                return
            given = None

    def _call(self, message: Message | None) -> Any:
        """Return what the agent's code makes of a message, or an awaitable of it; `_NOTHING`: no answer."""
        generator: Any = self._generator
        if generator is not None:
            return (generator.asend if self._is_async else generator.send)(message)
        assert message is not None
        if self._handler is None:
            handler = getattr(self._participation.agent, self._responder.name)
            is_class = isinstance(handler, type) and issubclass(handler, Participant)
            self._handler = handler(self._participation.agent) if is_class else handler
        performative = str(message.performative)
        function = self._handler
        if isinstance(function, Participant):
            function = getattr(function, performative.replace("-", "_"), _end)
        elif performative not in self._responder.protocol.calls:
            function = _end
        if function is _end:
            return None if self._can("inform") else _NOTHING
        made = function(message)
        if inspect.isgenerator(made):
            self._generator = made
            return next(made)
        if inspect.isasyncgen(made):
            self._generator, self._is_async = made, True
            return anext(made)
        return made

    def _reply(self, returned: object) -> Reply:
        reply = as_reply(returned)
        if reply is None:
            raise DefinitionError(
                f"{self._responder.name}() of agent {self._participation.name} returned "
                f"{shorten(returned)}: it returns text, bytes or a reply such as Inform('...')"
            )
        return reply

    def _bad(self, error: Refuse | Failure) -> Reply:
        is_refusal = isinstance(error, Refuse) and self._can("refuse")
        return Say("refuse" if is_refusal else "failure", str(error))

    def _can(self, performative: str) -> bool:
        protocol, state = self._responder.protocol, self.dialogue.state
        return (state, protocol.roles[1], performative) in protocol.next

    async def _say(self, reply: Reply) -> None:
        if self.dialogue.is_over:
            return  # it was told of the end, and no more
        if reply.performative == "inform" and not reply.body and not self._can("inform"):
            return  # nothing is said where nothing has to be
        latest = self.dialogue.latest
        try:
            await self.dialogue.send(reply.performative, reply.body, **reply.fields)
        except ProtocolError as error:
            if reply.performative != "failure":
                raise
            del error
            assert latest is not None
            self.dialogue.state = "not-understood"
            await self._participation.conversations.send(
                _answer(latest, Say("not-understood", reply.body)), self.dialogue.name
            )
        except FormicaryError:
            self.break_off()


_NOTHING: Any = object()


def _come_of(outcome: Any) -> Any:
    """Return what the agent's code has returned, or raise what it has raised."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _is_plain(agent: Any, name: str) -> bool:
    """Tell whether a method of an agent is a plain function."""
    method = getattr(type(agent), name)
    is_other = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    return inspect.isfunction(method) and not any(tells(method) for tells in is_other)


def _plain_reply(returned: object) -> Reply | None:
    return Inform(returned) if isinstance(returned, str | bytes) else None


def _end(message: Message) -> None:
    """Answer what comes after a function has returned."""


def _answer(message: Message, reply: Reply) -> Message:
    return answer_to(message, reply.body, reply.performative)
