"""An agent's part in conversations that others begin: calls its methods with their messages."""

from __future__ import annotations

import inspect
from collections import deque
from functools import partial
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from formicary.core.base_agent import AgentState
from formicary.core.message import Message
from formicary.core.micro import MicroInbox
from formicary.core.scheduler import WAITS
from formicary.protocols.part import Raised
from formicary.protocols.responding import Failure, Refuse
from formicary.protocols.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from formicary.core.strand import Strand
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.responding import Responder
    from formicary.protocols.turn import Key

_MOST = 100_000  # conversations of one agent at once
_ACTIVE = AgentState.ACTIVE
_HELD = frozenset({AgentState.SUSPENDED, AgentState.WAITING, AgentState.TRANSIT})


class Opening:
    """The beginning of conversations in which one of an agent's methods takes part."""

    __slots__ = ("ends_by_text", "function", "is_plain", "responder")

    def __init__(self, agent: Any, responder: Responder) -> None:
        self.responder = responder
        following = responder.protocol.asked.by_participant.get("inform")
        self.ends_by_text = following is not None and following.is_end
        """Whether returned text, which is an `inform`, ends the conversation."""
        self.function: Callable[[Message], Any] | None = None
        """The method, if it is a plain or asynchronous function, not a generator or class."""
        self.is_plain = False
        """Whether that is a plain function, which answers once."""
        method = getattr(type(agent), responder.name)
        is_generator = inspect.isgeneratorfunction(method) or inspect.isasyncgenfunction(method)
        if inspect.isfunction(method) and not is_generator:
            self.function = getattr(agent, responder.name)
            self.is_plain = not inspect.iscoroutinefunction(method)


class Participation:
    """The conversations in which an agent takes part. To the scheduler, it is a micro-agent."""

    def __init__(self, conversations: Conversations) -> None:
        service, agent = conversations.service, conversations.agent
        self.conversations = conversations
        self.agent = agent
        self.name = agent.name
        self.address = agent.address
        self.openings: dict[str | None, dict[str | None, Opening]] = {}
        """By protocol and first performative."""
        self.vocabulary: dict[str | None, set[str | None]] = {}
        """The performatives of initiators, by protocol."""
        for (protocol, performative), responder in agent.responders.items():
            self.openings.setdefault(protocol, {})[performative] = Opening(agent, responder)
            self.vocabulary.setdefault(protocol, set()).update(responder.protocol.vocabulary)
        self.micro_inbox = MicroInbox(self, service.scheduler, service.container.dispatcher.routes)  # type: ignore[arg-type]  # it has what `MicroInbox` uses
        self._dispatcher = service.container.dispatcher
        self._joined: dict[Key, Turn] = {}
        self._held: deque[Message] = deque()

    # -- messages -------------------------------------------------------------------------------------------

    def handle(  # noqa: PLR0911 -- saves a call for each message
        self, message: Message
    ) -> Coroutine[Any, Any, None] | None:
        """Handle a message from the queue; for the scheduler."""
        if self.agent._state is not _ACTIVE and not self._may_take(message):  # noqa: SLF001 -- for speed
            return None
        opening = self.openings[message.protocol].get(message.performative)
        joined = self._joined
        if joined:
            turn = joined.get((message.conversation_id or message.reply_with, message.sender))  # as `_key`
            if turn is not None:
                return turn.take(message)
        if opening is None:
            self._take_stray(message)
            return None
        if opening.function is None:
            return self._join(opening, message)
        # The usual case, inlined: a function returns text, which ends the conversation.
        try:
            returned = opening.function(message)
            if returned.__class__ is CoroutineType:
                returned = self._run(opening, message, returned)
        except Exception as error:  # noqa: BLE001 -- it is raised again there
            return self._join(opening, message, Raised(error))
        to = message.reply_to or message.sender
        is_usual = returned.__class__ is str and opening.ends_by_text and to is not None
        if not is_usual or self.conversations.is_closed:
            return None if returned is WAITS else self._join(opening, message, returned)
        answer = Message(
            to, self.address, returned, "inform",
            message.thread, None, message.language, message.encoding, message.ontology,
            message.protocol, message.conversation_id, None, message.reply_with,
        )  # fmt: skip
        if (deliver := self.micro_inbox.routes.get(to)) is None:
            return self._dispatcher.send(answer)
        full = deliver(answer)
        return self._dispatcher.overflow.wait_to_deliver(answer, full) if full else None

    def _run(self, opening: Opening, message: Message, coroutine: CoroutineType[Any, Any, Any]) -> Any:
        """Run the coroutine of an asynchronous function; results as of `Scheduler.step`."""
        if self.conversations.is_closed or len(self._joined) >= _MOST:
            coroutine.close()
            self._join(opening, message)  # which refuses
            return WAITS
        returned = self.micro_inbox.scheduler.step(
            coroutine, self, partial(self._join_waiting, opening, message)
        )
        if self.conversations.is_closed and returned is not WAITS:
            self._tell_ended(message)
            return WAITS
        return returned

    def _join_waiting(
        self, opening: Opening, message: Message, awaited: Any, yielded: Any
    ) -> Coroutine[Any, Any, None]:
        """Take part in a conversation that an asynchronous function has begun to answer, and waits."""
        turn = self._new_turn(opening, message)
        turn.dialogue.hear(message)
        if self.conversations.is_closed:  # by the function
            self._tell_ended(message)
            self.leave(turn)
        return turn.proceed(message, awaited, yielded)

    def _tell_ended(self, message: Message) -> None:
        """Report to the initiator of a conversation that its function has ended the agent."""
        reason = f"agent {self.name} ended in the middle of the conversation"
        self._dispatcher.tell_sender(message, str(self.address), reason)

    def _join(self, opening: Opening, message: Message, *outcome: Any) -> Coroutine[Any, Any, None] | None:
        """Take part in a conversation.

        Args:
            opening: how it begins.
            message: its first message.
            outcome: the method's result, or `Raised`, if it was called.
        """
        if self.conversations.is_closed:
            self._dispatcher.add_dead_letter(message, f"agent {self.name} has ended", self.address)
            error = outcome[0].error if outcome and outcome[0].__class__ is Raised else None
            if error is not None and not isinstance(error, Refuse | Failure):
                self.record_failure(opening.responder.name, error)
            return None
        if len(self._joined) >= _MOST:
            reason = f"agent {self.name} is in {_MOST} conversations, which is the limit"
            self._dispatcher.add_dead_letter(message, reason, self.address)
            return None
        return self._new_turn(opening, message).take(message, *outcome)

    def _new_turn(self, opening: Opening, message: Message) -> Turn:
        key = self._key(message)
        turn = self._joined[key] = Turn(self, opening.responder, key, is_plain=opening.is_plain)
        return turn

    @staticmethod
    def _key(message: Message) -> Key:
        return message.conversation_id or message.reply_with, message.sender

    def _may_take(self, message: Message) -> bool:
        """Return whether an inactive agent takes a message; if not, keep it until it is active.

        An agent that is about to move still ends its conversations.
        """
        state = self.agent.state
        if state is AgentState.TRANSIT and self._key(message) in self._joined:
            return True
        if state in _HELD:
            self._held.append(message)
            return False
        return True

    def _take_stray(self, message: Message) -> None:
        """Handle a message of a conversation in which the agent is not."""
        if message.performative == "cancel":
            return  # it crossed the answer
        why = f"agent {self.name} has no such conversation, or has ended it"
        if not self.conversations.out_of_order(message, why):
            self.conversations.pass_on(message)

    def proceed(self) -> None:
        """Handle messages that arrived while the agent was suspended."""
        held, self._held = self._held, deque()
        for message in held:
            self.micro_inbox.messages += (self.micro_inbox.handle, message)
        if held and not self.micro_inbox.scheduler.awake:
            self.micro_inbox.scheduler.wake()

    def under_way(self) -> str | None:
        """Return a conversation that is not over, as the rest of a sentence; None if all are."""
        for turn in self._joined.values():
            return turn.dialogue.under_way()
        running = self.conversations.scheduler.current
        is_answering = running is not None and running.owner is self  # and has not waited yet
        return "answers a message that begins a conversation" if is_answering else None

    def withdraw(self) -> Sequence[Message]:
        """Remove and return unhandled messages."""
        queued = [message for _, message in self.micro_inbox.scheduler.withdraw(self)]
        held, self._held = self._held, deque()
        return (*held, *queued)

    def is_ended_by(self, message: Message) -> bool:
        """Return whether a message ends one of the agent's conversations, so that no answer is needed."""
        turn = self._joined.get(self._key(message))
        following = None if turn is None else turn.dialogue.stage.by_initiator.get(message.performative)
        return following is not None and following.is_end

    def has_joined(self, key: Key) -> bool:
        """Return whether the agent is still in a conversation."""
        return key in self._joined

    def leave(self, turn: Turn) -> None:
        """End a conversation."""
        self._joined.pop(turn.key, None)

    def partner_ended(self, is_ended: Callable[[str], bool]) -> None:
        """End the conversations with agents that have ended."""
        for turn in tuple(self._joined.values()):
            if is_ended(turn.dialogue.partner):
                turn.break_off()

    def close(self, reason: str) -> None:
        """End all conversations, and report the reason to all that wait for the agent."""
        dispatcher = self.conversations.service.container.dispatcher
        for turn in tuple(self._joined.values()):
            latest = turn.dialogue.latest
            if latest is not None and not turn.dialogue.is_over:
                dispatcher.tell_sender(latest, str(self.address), reason)
            turn.break_off()
        service = self.conversations.service
        service.ending = [strand for strand in service.ending if not strand.done()]
        service.ending += self.micro_inbox.handling or ()
        for message in self._held:
            dispatcher.add_dead_letter(message, reason, self.address)
        self._held.clear()

    # -- called by the scheduler ----------------------------------------------------------------------------

    @property
    def state(self) -> AgentState:
        """The agent's state."""
        return self.agent.state

    @property
    def _container(self) -> Any:
        return self.conversations.service.container

    def record_failure(self, part: str, error: BaseException) -> None:
        """Record that a part of the agent has failed."""
        self.agent.record_failure(part, error)

    def strand_waits(self, strand: Strand) -> None:
        """Called with the strand of an answer that starts to wait."""
        if self.micro_inbox.handling is None:
            self.micro_inbox.handling = set()
        self.micro_inbox.handling.add(strand)

    def strand_name(self) -> str:
        """Return a name for the strand of an answer."""
        return f"{self.name}/responds"

    def give_back(self, message: Message) -> None:
        """Do nothing: an answer waits for no messages."""

    def strand_ended(self, strand: Strand) -> None:
        """Called when an answer has ended."""
        if self.micro_inbox.handling is not None:
            self.micro_inbox.handling.discard(strand)
        if (error := strand.failure()) is not None:
            self.agent.record_failure("responds", error)
