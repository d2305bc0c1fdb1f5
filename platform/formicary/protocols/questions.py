"""A question: one message, and the answer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.core.errors import Failed, FormicaryError, NoAnswer
from formicary.core.names import MANAGEMENT
from formicary.core.strand import Answer

if TYPE_CHECKING:
    import asyncio

    from formicary.core.message import Message


class Question(Answer):
    """Who waits for the answer of one agent.

    Args:
        asked: the full name of who was asked.
        platform: the domain of the own platform.
        loop: the container's.
    """

    def __init__(self, asked: str, platform: str, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop=loop)
        self.asked = asked
        self._platform = platform

    def offer(self, message: Message) -> bool:
        """Take a message that says it is the answer; return False if it is of somebody who was not asked."""
        sender = message.sender
        if sender != self.asked and not is_from(message, self.asked):
            if (reason := why_undelivered(message, self._platform)) is None or reason[0] != self.asked:
                return False
            if not self.done():
                self.fail(Failed(reason[1], message))
        elif not self.done():
            self.settle(message)
        return True

    def expire(self) -> None:
        """Called when its time is over."""
        self.fail(NoAnswer(f"{self.asked} has not answered in time", (self.asked,)))

    def partner_ended(self, is_ended: Any, reason: str) -> None:
        """Called when agents have ended; `is_ended` tells of a full name whether it is one of them."""
        if not self.done() and is_ended(self.asked):
            self.fail(Failed(f"{self.asked} {reason}"))

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when who has asked has ended, and somebody still waits."""
        if not self.done():
            self.fail(error)


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
