"""The participant's side of one conversation."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary.core.coroutines import rest_of
from formicary.core.errors import FormicaryError, ProtocolError
from formicary.core.message import answer_to
from formicary.core.scheduler import WAITS
from formicary.protocols.dialogue import Dialogue
from formicary.protocols.part import NOTHING, Part, Raised, unwrapped
from formicary.protocols.responding import Failure, Inform, Refuse, Say

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from formicary.core.message import Message
    from formicary.protocols.participation import Participation
    from formicary.protocols.responding import Reply, Responder

Key = tuple["str | None", "str | None"]
"""A conversation's name, and its initiator."""

_UNCALLED: Any = object()


class Turn(Part):
    """The participant's side of one conversation.

    Args:
        participation: the agent's.
        responder: the responder that answers.
        key: the conversation's name, and its initiator.
        is_plain: whether a plain function answers.
    """

    __slots__ = ("_is_busy", "_is_plain", "_later", "_task", "key")

    def __init__(
        self, participation: Participation, responder: Responder, key: Key, *, is_plain: bool
    ) -> None:
        # Inlined from `Part`.
        self._participation = participation
        self._responder = responder
        self.dialogue = Dialogue(
            participation.conversations, responder.protocol, False,
            str(key[1]), f"{key[0]}/p", str(key[0]), None,
        )  # fmt: skip
        self._handler = self._generator = None
        self._is_async = False
        self.key = key
        self._is_plain = is_plain
        self._task: asyncio.Task[Any] | None = None
        self._later: deque[Message] | None = None  # arrived while it was busy
        self._is_busy = False

    def take(self, message: Message, outcome: Any = _UNCALLED) -> Coroutine[Any, Any, None] | None:
        """Handle a message of the initiator; return the coroutine that answers it, if one is left.

        Args:
            message: the message.
            outcome: the result of the agent's code, or `Raised`; `_UNCALLED` if it was not called.
        """
        dialogue, performative = self.dialogue, message.performative
        following = dialogue.stage.by_initiator.get(performative)
        if following is None:
            self._refuse(message)
            return None
        dialogue.stage, dialogue.latest = following, message  # inlined from `Dialogue.hear`
        if performative in {"cancel", "not-understood"}:
            if performative == "cancel":
                self._participation.conversations.post(_answer(message, Inform()), None)
            self.break_off()
            return None
        if self._is_busy:
            self._later = self._later or deque()
            self._later.append(message)
            return None
        return self._answer_at_once(message, outcome)

    def _refuse(self, message: Message) -> None:
        """Handle a message that is out of order."""
        why = self.dialogue.hear(message)
        assert why is not None
        if not self._participation.conversations.out_of_order(message, why):
            self._participation.conversations.pass_on(message)

    def _answer_at_once(self, message: Message, outcome: Any) -> Coroutine[Any, Any, None] | None:
        """Answer without waiting; return the coroutine that does the rest, if any."""
        dialogue = self.dialogue
        try:
            returned = self._call(message) if outcome is _UNCALLED else self._begun(unwrapped(outcome))
            if self._awaits(returned) and (returned := self._step(message, returned)) is WAITS:
                return None
        except (StopIteration, StopAsyncIteration) as end:
            if not self._is_mere_end(getattr(end, "value", None)):
                return self._answer(message, Raised(end))
            returned = NOTHING
        except Exception as error:  # noqa: BLE001 -- it is raised again there
            return self._answer(message, Raised(error))
        waiting = None
        if returned is not NOTHING:
            try:
                if (said := self._usual(returned)) is None:
                    return self._answer(message, returned)
                waiting = self._participation.conversations.hand_over(said)
            except Exception as error:  # noqa: BLE001 -- as above
                return self._answer(message, Raised(error))
        if dialogue.stage.is_end:
            self._participation.leave(self)
            if self._generator is not None:
                self._close_generator()
        return waiting if waiting is None or self._is_plain else self._finish(waiting)

    def _step(self, message: Message, awaited: Any) -> Any:
        """Run an awaitable of the agent's code; results as of `Scheduler.step`."""
        participation = self._participation
        return participation.micro_inbox.scheduler.step(
            awaited, participation, partial(self.proceed, message)
        )

    def proceed(self, message: Message, awaited: Any, yielded: Any) -> Coroutine[Any, Any, None]:
        """Return a coroutine that continues where the agent's code waits; called in the waiting strand."""
        if not self._participation.has_joined(self.key):  # it was broken off meanwhile
            strand = self._participation.micro_inbox.scheduler.current
            assert strand is not None
            strand.cancel()
        return self._answer(message, rest_of(awaited, yielded))

    async def _finish(self, waiting: Coroutine[Any, Any, None]) -> None:
        """Send what is waiting for room, and then answer messages that arrived meanwhile."""
        self._is_busy = True
        try:
            await waiting
        except FormicaryError:
            self.break_off()
        finally:
            self._is_busy = False
        if self._later:
            await self._answer(self._later.popleft())

    def break_off(self) -> None:
        """End without another message."""
        self._participation.leave(self)
        if self._task is not None and not self._task.done():
            self._task.cancel()
        elif inspect.isgenerator(self._generator) and not self._generator.gi_running:
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
            if self._participation.has_joined(self.key) or task is None:  # not broken off
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
        """Answer a message.

        Args:
            message: the message.
            outcome: the result of the agent's code, or `Raised`; `_UNCALLED` if it was not called.
        """
        given: Message | None = message
        while True:
            try:
                is_begun = outcome is not _UNCALLED
                returned = unwrapped(outcome) if is_begun else self._call(given)
                outcome = _UNCALLED
                if (not is_begun and self._awaits(returned)) or inspect.isawaitable(returned):
                    self._task = asyncio.current_task()
                    try:
                        returned = await returned
                    finally:
                        self._task = None
                if returned is not NOTHING:
                    await self._say(self._reply(returned))
            except (StopIteration, StopAsyncIteration) as end:
                value = end.value if isinstance(end, StopIteration) else None
                if self._is_mere_end(value):
                    return
                await self._say(self._reply(value))
            except (Refuse, Failure) as error:
                await self._say(self._bad(error))
                return
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 -- the agent's own code
                self._participation.record_failure(self._responder.name, error)
                await self._say(Say("failure", f"{type(error).__name__}: {error}"))
                return
            goes_on = self.dialogue.state in self._responder.protocol.speaks_alone
            if self._generator is None or self._later or not goes_on:
                return
            given = None

    async def _say(self, reply: Reply) -> None:
        if self.dialogue.is_over:
            return  # it was notified of the end
        if reply.performative == "inform" and not reply.body and not self.dialogue.can_say("inform"):
            return  # no answer is needed
        latest = self.dialogue.latest
        try:
            self._participation.conversations.check_open()
            said = self.dialogue.say(reply.performative, reply.body, reply.fields)
            if (waiting := self._participation.conversations.hand_over(said)) is not None:
                await waiting
        except ProtocolError as error:
            if reply.performative != "failure":
                raise
            del error
            assert latest is not None
            self.dialogue.stage = self.dialogue.protocol.stages["not-understood"]
            await self._participation.conversations.send(
                _answer(latest, Say("not-understood", reply.body)), self.dialogue.name
            )
        except FormicaryError:
            self.break_off()


def _answer(message: Message, reply: Reply) -> Message:
    return answer_to(message, None, reply.body, reply.performative)
