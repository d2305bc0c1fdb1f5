"""A question: one message and its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import force_setattr

from formicary.core.coroutines import coroutine_function
from formicary.core.errors import FailedError, FormicaryError, InvalidMessageError, NoAnswerError
from formicary.core.message import Message, check_unsent, copied
from formicary.core.names import MANAGEMENT
from formicary.core.strand import Pending

if TYPE_CHECKING:
    from collections.abc import Generator

    from formicary.protocols.conversations import Conversations


class Question(Pending):
    """Waits for the answer of one agent."""

    __slots__ = ("asked", "conversations", "name", "news")

    def __init__(self, conversations: Conversations, name: str, asked: str) -> None:
        self.waiter = None
        self.conversations = conversations
        self.name = name
        self.asked = asked
        self.news: Message | FormicaryError | None = None  # the answer, or why there will be none

    def offer(self, message: Message) -> bool:
        """Take the answer; return False if its sender was not asked."""
        if message.sender == self.asked or is_from(message, self.asked):
            self.settle(message)
            return True
        return self.take_undelivered(message)

    def take_undelivered(self, message: Message) -> bool:
        """Take a container's report that a message could not be delivered; return False if it is none."""
        reason = why_undelivered(message, self.conversations.platform)
        if reason is None or reason[0] != self.asked:
            return False
        self.settle(FailedError(reason[1], message))
        return True

    def settle(self, news: Message | FormicaryError) -> None:
        """Take the answer, or the reason why there will be none; only the first counts."""
        if self.news is None:
            self.news = news
            self.conversations.expected.pop(self.name, None)
            self.proceed()

    def done(self) -> bool:
        """Return whether it is over; for the deadline."""
        return self.news is not None

    def expire(self) -> None:
        """Called when its time is over."""
        self.settle(NoAnswerError(f"{self.asked} did not answer in time", (self.asked,)))

    def under_way(self) -> str | None:
        """Return what it waits for, as the rest of a sentence."""
        return f"is waiting for the answer of {self.asked}"

    def partner_ended(self, is_ended: Any, reason: str) -> None:
        """Called when agents have ended; `is_ended` is called with full names."""
        if is_ended(self.asked):
            self.settle(FailedError(f"{self.asked} {reason}"))

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when the asker has ended before it was answered."""
        self.settle(error)

    def give_up(self) -> None:
        """Stop waiting."""
        self.waiter = None
        self.settle(_GIVEN_UP)


@coroutine_function
def ask(
    conversations: Conversations, message: Message, timeout: float | None = None
) -> Generator[Any, Any, Any]:
    """Send a message, and return the answer to it; as of `Conversing.ask`."""
    if (
        type(message) is not Message
        or type(message.to) is not str
        or message.sender is not None
        or message.reply_to is not None
        or message.reply_by is not None
    ):
        _check_question(message, conversations.address)
    to: Any = message.to
    dispatcher, asked = conversations.dispatcher, conversations.known_name(to)
    if asked is None:
        asked = yield from conversations.full_name(to).__await__()
    name = conversations.new_name()
    message = copied(message)
    force_setattr(message, "sender", conversations.address)
    force_setattr(message, "reply_with", name)
    conversations.expected[name] = question = Question(conversations, name, asked)
    try:
        if timeout is not None:
            conversations.service.deadlines.add(question, timeout)
        if (deliver := conversations.routes.get(to)) is None:
            yield from dispatcher.send(message).__await__()
        elif full := deliver(message):
            yield from dispatcher.overflow.wait_to_deliver(message, full).__await__()
        scheduler = conversations.scheduler
        while (news := question.news) is None:
            if scheduler.current is None:
                yield from question.wait_in_task(scheduler.loop)
            else:
                yield question
    except BaseException:
        question.give_up()
        raise
    if isinstance(news, FormicaryError):
        raise news
    return news


def _check_question(message: Message, sender: str) -> None:
    check_unsent(message, sender)
    if type(message.to) is not str:
        raise InvalidMessageError(
            "ask() asks one agent, which is the message's `to`; use gather_answers() to ask several"
        )


_GIVEN_UP = FormicaryError("no one is waiting any more")


def is_from(message: Message, address: str) -> bool:
    """Return whether a message is from an agent or one of its XMPP resources."""
    sender = message.sender or ""
    return sender == address or ("/" not in address and sender.startswith(f"{address}/"))


def why_undelivered(message: Message, platform: str) -> tuple[str, str] | None:
    """Return which agent could not be reached, and why, if a container reports that; else None."""
    if message.performative != "failure":
        return None
    local, _, domain = (message.sender or "").partition("@")
    receiver = message.get_metadata("receiver")
    if local != MANAGEMENT or receiver is None or not domain.endswith(f".{platform}"):
        return None
    return receiver, str(message.body)
