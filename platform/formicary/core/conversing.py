"""Conversations as those see them who begin them: behaviours, and programs outside of any agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable
    from datetime import datetime, timedelta
    from typing import Any

    from formicary.core.message import Message
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.gathering import Answers


class Conversing:
    """What behaviours and containers have in common: they ask agents, and get the answers."""

    __slots__ = ()

    @property
    def conversations(self) -> Conversations:
        """The conversations of who asks."""
        raise NotImplementedError

    def ask(self, message: Message, timeout: float | None = None) -> Coroutine[Any, Any, Message]:
        """Send a message to one agent, and return its answer; await it.

        The answer is what that agent sends with the message's `reply_with`, which is set here, as
        `in_reply_to`, as `Message.make_reply` does. It does not pass the behaviours' mailboxes, so however
        many are asked at once, each gets its own answer. Whatever the answer says, a `refuse` say, is an
        answer. What comes later is a dead letter.

        Args:
            message: with one receiver; what it has as `reply_with` is replaced.
            timeout: how many seconds to wait for the answer; None for any time.

        Raises:
            NoAnswer: there was none in time.
            Failed: the message could not be delivered, or the agent has ended, as far as that is known here:
                in this container, or with its own.
            InvalidMessageError: the message has no receiver, or several.
            FormicaryError: it cannot be sent; as of `Behaviour.send`.
            asyncio.CancelledError: when cancelled; the message may have been sent.
        """
        return self.conversations.ask(message, timeout)

    def gather_answers(
        self, messages: Iterable[Message], until: float | timedelta | datetime | None = None
    ) -> Answers:
        """Send several messages, and give the answers as they come: `async for answer in ...`.

        It ends when all have answered, or could not be reached, or have ended; or when the time is over. Keep
        what this returns to ask it then who is `missing`, and who has `failed` and why.

        Args:
            messages: what to send; one that has several receivers is sent to each, and each may answer.
            until: for how many seconds, or until when; None for any time.

        Raises:
            InvalidMessageError: a message has no receiver.
            FormicaryError: one cannot be sent; as of `Behaviour.send`.
        """
        return self.conversations.gather_answers(messages, until)
