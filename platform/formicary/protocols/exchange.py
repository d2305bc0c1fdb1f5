"""Conversations in which a partner is asked once, may agree, and answers once, such as requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from formicary.core.coroutines import coroutine_function
from formicary.core.message import Message
from formicary.protocols.news import BAD_NEWS, good_news
from formicary.protocols.partners import find_one
from formicary.protocols.questions import Question, is_from

if TYPE_CHECKING:
    from collections.abc import Generator

    from formicary.protocols.conversations import Conversations
    from formicary.protocols.partners import Partners
    from formicary.protocols.table import Protocol


class Exchange(Question):
    """The initiator's side of such a conversation."""

    __slots__ = ("conversation", "latest", "protocol", "stage")

    def __init__(self, conversations: Conversations, name: str, asked: str, protocol: Protocol) -> None:
        # Inlined from `Question`.
        self.waiter = None
        self.conversations = conversations
        self.name = name
        self.conversation: str | None = name
        self.asked = asked
        self.news = None
        self.protocol = protocol
        self.stage = protocol.asked
        self.latest: Message | None = None  # from the partner, not the end

    def offer(self, message: Message) -> bool:
        """Take an answer; return False if its sender was not asked."""
        stage = self.stage
        if message.sender != self.asked and not (stage.is_open or is_from(message, self.asked)):
            return self.take_undelivered(message)
        following = stage.by_participant.get(message.performative)
        if following is None:
            return self.conversations.out_of_order(
                message, self.protocol.why_not(stage.name, self.protocol.roles[1], message.performative)
            )
        self.stage = following
        if not following.is_end:
            self.latest = message
        elif self.news is None:  # inlined from `settle`
            self.news = message
            self.conversations.expected.pop(self.name, None)
            self.proceed()
        return True

    def under_way(self) -> str | None:
        """Return what it waits for, as the rest of a sentence."""
        return f"has begun a conversation by {self.protocol.name} with {self.asked}"

    def expire(self) -> None:
        """Called when its time is over."""
        super().expire()
        self.tell_cancel()

    def end_by(self, error: BaseException) -> None:
        """Stop waiting after an exception; when cancelled, send a `cancel`."""
        self.give_up()
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            self.tell_cancel()

    def tell_cancel(self) -> None:
        """Send the partner a `cancel` (FIPA's meta-protocol)."""
        latest = self.latest
        self.conversations.post(
            Message(
                self.asked,
                performative="cancel",
                protocol=self.protocol.name,
                conversation_id=self.conversation,
                in_reply_to=None if latest is None else latest.reply_with,
            ),
            f"{self.name}/cancel",
        )


@coroutine_function
def exchange(  # noqa: PLR0917 -- only `Conversing` calls it
    conversations: Conversations,
    protocol: Protocol,
    partner: str | Partners,
    body: str | bytes,
    timeout: float | None,
    fields: dict[str, Any],
) -> Generator[Any, Any, Message]:
    """Hold such a conversation, and return the answer; as of `Conversing.request`."""
    asked = conversations.known_name(partner)
    if asked is None:
        asked = yield from find_one(conversations, partner).__await__()
    name = f"{conversations.prefix}{next(conversations.numbers)}"
    conversations.expected[name] = conversation = Exchange(conversations, name, asked, protocol)
    try:
        deadline = None if timeout is None else conversations.service.deadlines.add(conversation, timeout)
        message = Message(
            asked, conversations.address, body, protocol.opening,
            None, None, None, None, None, protocol.name, name, name, None,
            None if deadline is None else deadline.reply_by,
        )  # fmt: skip
        if fields:
            message = message.replace(**{**fields, "reply_with": name})
            conversation.conversation = message.conversation_id
        if (deliver := conversations.routes.get(asked)) is None:
            yield from conversations.dispatcher.send(message).__await__()
        elif full := deliver(message):
            yield from conversations.dispatcher.overflow.wait_to_deliver(message, full).__await__()
        scheduler = conversations.scheduler
        while (news := conversation.news) is None:
            if scheduler.current is None:
                yield from conversation.wait_in_task(scheduler.loop)
            else:
                yield conversation
    except BaseException as error:
        conversation.end_by(error)
        raise
    if news.__class__ is Message and news.performative not in BAD_NEWS:
        return news
    return good_news(news)
