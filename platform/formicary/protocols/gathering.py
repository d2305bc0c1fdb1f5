"""Several messages, and the answers to them as they arrive."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

from formicary.core.answer import Answer
from formicary.core.errors import InvalidMessageError
from formicary.core.message import check_unsent
from formicary.core.times import check_limit, seconds_left
from formicary.protocols.questions import is_from, why_undelivered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from formicary.core.errors import FormicaryError
    from formicary.core.message import Message
    from formicary.protocols.conversations import Conversations


class Answers:
    """The answers to several messages as they arrive. Use `async for`.

    The iteration ends when all have answered or failed, or the time is over. To leave the loop earlier, use
    `async with` as well, or later answers are kept until then.

    Args:
        conversations: the asker's.
        messages: the messages, each sent to all its receivers.
        timeout: seconds to wait for answers; None for any time.
        deadline: the end of the wait, instead.

    Attributes:
        missing: the full names of agents that have neither answered nor failed, in the order they were asked.
        failed: why other agents could not be reached or have ended, by full name.
    """

    def __init__(
        self,
        conversations: Conversations,
        messages: Iterable[Message],
        timeout: float | None,
        deadline: datetime | None,
    ) -> None:
        self.failed: dict[str, str] = {}
        self._conversations = conversations
        self._messages = messages
        self._limit = check_limit(timeout, deadline)
        self._asked: dict[str, str] = {}  # by the name of the question
        self._come: deque[Message] = deque()
        self._waiting: Answer | None = None
        self._error: FormicaryError | None = None
        self._has_begun = self._is_over = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The full names of agents that have neither answered nor failed, in the order they were asked."""
        return tuple(self._asked.values())

    # -- called by the user ---------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        if not self._has_begun:
            self._has_begun = True
            await self._send()
        while not self._come:
            if self._error is not None:
                raise self._error
            if self._is_over or not self._asked:
                self.close()
                raise StopAsyncIteration
            self._waiting = Answer(loop=self._conversations.service.scheduler.loop)
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._come.popleft()

    def close(self) -> None:
        """Stop waiting for answers; `missing` names the agents without one."""
        self._is_over = True
        for name in self._asked:
            self._conversations.expected.pop(name, None)

    async def _send(self) -> None:
        conversations, seconds = self._conversations, seconds_left(self._limit)
        if seconds is not None:
            conversations.service.deadlines.add(self, seconds)
        try:
            posts = [post for message in self._messages for post in await self._posts(message)]
            for message, name in posts:
                await conversations.send(message, name)
        except BaseException:
            self.close()
            raise

    async def _posts(self, message: Message) -> list[tuple[Message, str]]:
        """Return a copy of a message for each receiver, with the name of the question."""
        check_unsent(message, self._conversations.address)
        if not message.receivers:
            raise InvalidMessageError("a message without a receiver cannot be sent; set its `to`")
        conversations, posts = self._conversations, []
        for receiver in message.receivers:
            name = conversations.new_name()
            self._asked[name] = await conversations.full_name(receiver)
            conversations.expected[name] = self
            posts.append((message if message.to == receiver else message.replace(to=receiver), name))
        return posts

    # -- events ---------------------------------------------------------------------------------------------

    def offer(self, message: Message) -> bool:
        """Take an answer; return False if its sender was not asked."""
        name = message.in_reply_to or ""
        asked = self._asked.get(name, "")
        if is_from(message, asked):
            self._come.append(message)
        elif (reason := why_undelivered(message, self._conversations.platform)) and reason[0] == asked:
            self.failed[asked] = reason[1]
        else:
            return False
        self._settle(name)
        return True

    def _settle(self, name: str) -> None:
        del self._asked[name]
        self._conversations.expected.pop(name, None)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.settle(None)

    def done(self) -> bool:
        """Return whether it has stopped waiting; for the deadline."""
        return self._is_over

    def expire(self) -> None:
        """Called when its time is over."""
        self.close()
        self._wake()

    def under_way(self) -> str | None:
        """Return what it waits for, as the rest of a sentence."""
        return f"is waiting for answers from {', '.join(self.missing)}" if self._asked else None

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Called when agents have ended; `is_ended` is called with full names."""
        for name, asked in tuple(self._asked.items()):
            if is_ended(asked):
                self.failed[asked] = f"{asked} {reason}"
                self._settle(name)

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when the asker has ended."""
        self._error = error
        self._wake()
