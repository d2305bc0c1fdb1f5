"""A question: one message, and the answer to it."""

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
    """Who waits for the answer of one agent.

    Args:
        conversations: of who asks.
        name: what the answer has in `in_reply_to`.
        asked: the full name of who was asked.
    """

    __slots__ = ("asked", "conversations", "name", "news")

    def __init__(self, conversations: Conversations, name: str, asked: str) -> None:
        self.waiter = None
        self.conversations = conversations
        self.name = name
        self.asked = asked
        self.news: Message | FormicaryError | None = None  # what has come, or why nothing will

    def offer(self, message: Message) -> bool:
        """Take a message that says it is the answer; return False if it is of somebody who was not asked."""
        if message.sender == self.asked or is_from(message, self.asked):
            self.settle(message)
            return True
        return self.take_undelivered(message)

    def take_undelivered(self, message: Message) -> bool:
        """Take what a container says of a message that it could not deliver; return False if that is else."""
        reason = why_undelivered(message, self.conversations.platform)
        if reason is None or reason[0] != self.asked:
            return False
        self.settle(FailedError(reason[1], message))
        return True

    def settle(self, news: Message | FormicaryError) -> None:
        """Take what has come, or why nothing will: the first counts."""
        if self.news is None:
            self.news = news
            self.conversations.expected.pop(self.name, None)
            self.go_on()

    def done(self) -> bool:
        """Tell whether it is over; for the deadline."""
        return self.news is not None

    def expire(self) -> None:
        """Called when its time is over."""
        self.settle(NoAnswerError(f"{self.asked} did not answer in time", (self.asked,)))

    def under_way(self) -> str | None:
        """Return what is waited for, as the rest of a sentence."""
        return f"is waiting for the answer of {self.asked}"

    def partner_ended(self, is_ended: Any, reason: str) -> None:
        """Called when agents have ended; `is_ended` tells of a full name whether it is one of them."""
        if is_ended(self.asked):
            self.settle(FailedError(f"{self.asked} {reason}"))

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when who has asked has ended, and somebody still waits."""
        self.settle(error)

    def give_up(self) -> None:
        """Wait no more."""
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
    """Tell whether a message is from somebody, perhaps from one of its XMPP resources."""
    sender = message.sender or ""
    return sender == address or ("/" not in address and sender.startswith(f"{address}/"))


def why_undelivered(message: Message, platform: str) -> tuple[str, str] | None:
    """Return who could not be reached, and why, if that is what a container says by a message."""
    if message.performative != "failure":
        return None
    local, _, domain = (message.sender or "").partition("@")
    receiver = message.get_metadata("receiver")
    if local != MANAGEMENT or receiver is None or not domain.endswith(f".{platform}"):
        return None
    return receiver, str(message.body)
