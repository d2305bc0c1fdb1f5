"""The agent's own code in one conversation: a function, a generator or a class, called step by step."""

from __future__ import annotations

import inspect
from types import CoroutineType
from typing import TYPE_CHECKING, Any, NamedTuple

from formicary.core.errors import DefinitionError
from formicary.core.quoting import shorten
from formicary.protocols.responding import Failure, Participant, Refuse, Reply, Say, as_reply

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.protocols.dialogue import Dialogue
    from formicary.protocols.participation import Participation
    from formicary.protocols.responding import Responder

NOTHING: Any = object()
"""That nothing is to be said."""


class Raised(NamedTuple):
    """What an agent's code has raised.

    Attributes:
        error: the exception.
    """

    error: Exception


def unwrapped(outcome: Any) -> Any:
    """Return what the agent's code has returned, or raise what it has raised."""
    if outcome.__class__ is Raised:
        raise outcome.error
    return outcome


class Part:
    """What an agent's code does in one conversation.

    Args:
        participation: the agent's.
        responder: what answers.
        dialogue: the conversation.
    """

    __slots__ = ("_generator", "_handler", "_is_async", "_participation", "_responder", "dialogue")

    def __init__(self, participation: Participation, responder: Responder, dialogue: Dialogue) -> None:
        self._participation = participation
        self._responder = responder
        self.dialogue = dialogue
        self._handler: Any = None
        self._generator: Any = None
        self._is_async = False

    def _call(self, message: Message | None) -> Any:
        """Return what the agent's code makes of a message, or an awaitable of it; `NOTHING`: no answer."""
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
            return None if self.dialogue.can_say("inform") else NOTHING
        return self._begun(function(message))

    def _come_of(self, outcome: Any) -> Any:
        """Return what the agent's code has returned, or raise what it has raised."""
        if isinstance(outcome, Exception):
            raise outcome
        return outcome if outcome is NOTHING else self._begun(outcome)

    def _begun(self, made: Any) -> Any:
        """Return what the agent's code has made; where that is a generator, what it says first."""
        if made.__class__ is CoroutineType:  # as most: to look for each of the others takes long
            return made
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
        is_refusal = isinstance(error, Refuse) and self.dialogue.can_say("refuse")
        return Say("refuse" if is_refusal else "failure", str(error))

    def _is_mere_end(self, value: object) -> bool:
        """Note that the generator has ended; tell whether nothing is to be said of that."""
        self._generator, self._handler = None, _end
        return value is None and not self.dialogue.can_say("inform")

    def _is_usual(self, returned: object) -> bool:
        """Tell whether what was returned can be said as it is, after which the initiator goes on."""
        if isinstance(returned, Reply):
            performative = returned.performative
        elif isinstance(returned, str | bytes):
            performative = "inform"
        else:
            return False
        following = self.dialogue.stage.by_participant.get(performative)
        if following is None or self._participation.conversations.is_closed:
            return False
        return self._generator is None or following.name not in self._responder.protocol.speaks_alone

    def _close_generator(self) -> None:
        try:
            self._generator.close()
        except Exception as error:  # noqa: BLE001 -- the agent's own code
            self._participation.record_failure("responds", error)


def _end(message: Message) -> None:
    """Answer what comes after a function has returned."""
