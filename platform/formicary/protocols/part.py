"""The agent's code in one conversation: a function, a generator or a class, called step by step."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import TYPE_CHECKING, Any, NamedTuple

from formicary.core.coroutines import rest_of
from formicary.core.errors import DefinitionError
from formicary.core.quoting import shorten
from formicary.protocols.responding import Failure, Participant, Refuse, Reply, Say, as_reply

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.protocols.dialogue import Dialogue
    from formicary.protocols.participation import Participation
    from formicary.protocols.responding import Responder

_NO_FIELDS: dict[str, Any] = {}
_REPLIES = frozenset({str, bytes, type(None)})

NOTHING: Any = object()
"""Stands for no answer."""


class Raised(NamedTuple):
    """An exception raised by an agent's code.

    Attributes:
        error: the exception.
    """

    error: Exception


def unwrapped(outcome: Any) -> Any:
    """Return the result of the agent's code, or raise its exception."""
    if outcome.__class__ is Raised:
        raise outcome.error
    return outcome


class Part:
    """Runs an agent's code in one conversation."""

    __slots__ = ("_generator", "_handler", "_is_async", "_participation", "_responder", "dialogue")

    def __init__(self, participation: Participation, responder: Responder, dialogue: Dialogue) -> None:
        self._participation = participation
        self._responder = responder
        self.dialogue = dialogue
        self._handler: Any = None
        self._generator: Any = None
        self._is_async = False

    def _call(self, message: Message | None) -> Any:
        """Return the result of the agent's code, or an awaitable of it; `NOTHING` for no answer."""
        generator: Any = self._generator
        if generator is not None:
            return (generator.asend if self._is_async else generator.send)(message)
        assert message is not None
        function = self._handler
        if function is None:
            function = getattr(self._participation.agent, self._responder.name)
            if isinstance(function, type) and issubclass(function, Participant):
                function = function(self._participation.agent)
            self._handler = function
        if isinstance(function, Participant):
            function = getattr(function, str(message.performative).replace("-", "_"), _end)
        elif message.performative not in self._responder.protocol.calls:
            function = _end
        if function is _end:
            return None if self.dialogue.can_say("inform") else NOTHING
        return self._begun(function(message))

    def _begun(self, made: Any) -> Any:
        """Return the result of the agent's code; if it is a generator, its first value."""
        kind = made.__class__
        if kind is GeneratorType:
            self._generator = made
            return next(made)
        if kind is AsyncGeneratorType:
            self._generator, self._is_async = made, True
            return anext(made)
        return made

    def _awaits(self, returned: Any) -> bool:
        """Return whether the result of the agent's code must be awaited, to its end or its next step."""
        return returned.__class__ is CoroutineType or (self._is_async and self._generator is not None)

    def _reply(self, returned: object) -> Reply:
        reply = as_reply(returned)
        if reply is None:
            raise DefinitionError(
                f"{self._responder.name}() of agent {self._participation.name} returned "
                f"{shorten(returned)}: it must return text, bytes or a reply such as Inform('...')"
            )
        return reply

    def _bad(self, error: Refuse | Failure) -> Reply:
        is_refusal = isinstance(error, Refuse) and self.dialogue.can_say("refuse")
        return Say("refuse" if is_refusal else "failure", str(error))

    def _is_mere_end(self, value: object) -> bool:
        """Record that the generator has ended; return whether no answer follows."""
        self._generator, self._handler = None, _end
        return value is None and not self.dialogue.can_say("inform")

    def _usual(self, returned: object) -> Message | None:
        """Return the message with the result, if the initiator continues after it; else None."""
        if isinstance(returned, Reply):
            performative, body, fields = returned.performative, returned.body, returned.fields
        elif returned.__class__ in _REPLIES:
            performative, body, fields = "inform", returned or "", _NO_FIELDS  # type: ignore[assignment]  # text
        else:
            return None
        following = self.dialogue.stage.by_participant.get(performative)
        if following is None or self._participation.conversations.is_closed:
            return None
        if self._generator is not None and following.name in self._responder.protocol.speaks_alone:
            return None
        return self.dialogue.say(performative, body, fields)

    def _close_generator(self) -> None:
        """Close a generator that is no longer needed; never called in a strand."""
        try:
            if self._is_async:
                participation = self._participation
                participation.micro_inbox.scheduler.step(self._generator.aclose(), participation, rest_of)
            else:
                self._generator.close()
        except Exception as error:  # noqa: BLE001 -- the agent's own code
            self._participation.record_failure("responds", error)


def _end(message: Message) -> None:
    """Answer a message that comes after a function has returned."""
