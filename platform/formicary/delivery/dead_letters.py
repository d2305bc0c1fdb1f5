"""Dead letters: what could not be delivered, with the reason."""

from __future__ import annotations

import logging
from collections import Counter, deque
from datetime import datetime  # noqa: TC003 -- msgspec and the documentation read the types
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.core.logs import get_logger
from formicary.core.message import Message
from formicary.core.names import MANAGEMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = get_logger("formicary.dead_letters")

_KEPT = 1000
_KEPT_SIZE = 1 << 24  # characters or bytes of their bodies together
_LOGGED = 10


class DeadLetter(msgspec.Struct, frozen=True):
    """A message that could not be delivered.

    Args:
        message: the message.
        receiver: the full name of the intended receiver.
        reason: why not, as a sentence.
        time: when that was known, UTC.
    """

    message: Message
    receiver: str
    reason: str
    time: datetime


class DeadLetters:
    """The latest dead letters of a container, and the number of all."""

    def __init__(self) -> None:
        self._latest: deque[DeadLetter] = deque()
        self._size = 0
        self.total = 0
        self.reasons: Counter[str] = Counter()
        """How many there were for each reason; of very many reasons the most frequent."""

    def add(self, letter: DeadLetter, *, is_expected: bool = False) -> None:
        """Keep a letter, and log the first few, then the 100th, 1000th and so on.

        Args:
            letter: the letter.
            is_expected: whether not to warn, as agents end with their container.
        """
        self._latest.append(letter)
        self._size += len(letter.message.body)
        while len(self._latest) > _KEPT or (self._size > _KEPT_SIZE and len(self._latest) > 1):
            self._size -= len(self._latest.popleft().message.body)
        self.total += 1
        self.reasons[letter.reason] += 1
        if len(self.reasons) > _KEPT:
            self.reasons = Counter(dict(self.reasons.most_common(_KEPT // 2)))
        if self.total <= _LOGGED or str(self.total).strip("0") == "1":
            logger.log(
                logging.INFO if is_expected else logging.WARNING,
                "dead letter %d, from %s to %s: %s",
                self.total,
                letter.message.sender,
                letter.receiver,
                letter.reason,
            )

    def __iter__(self) -> Iterator[DeadLetter]:
        return iter(tuple(self._latest))

    def __len__(self) -> int:
        return len(self._latest)


def failure_of(message: Message, management: str, receiver: str, reason: str) -> Message:
    """Return the `failure` for the sender of a dead letter.

    Args:
        message: what could not be delivered.
        management: the full name of the container's management agent, which sends it.
        receiver: the intended receiver.
        reason: why not, as a sentence.
    """
    own = {
        "protocol": message.protocol,
        "thread": message.thread,
        "conversation_id": message.conversation_id,
        "in_reply_to": message.reply_with,
    }
    # The message may have failed because one of them is no text.
    texts: dict[str, Any] = {name: value for name, value in own.items() if isinstance(value, str)}
    return Message(
        to=message.sender,
        sender=management,
        body=reason,
        performative="failure",
        ontology="fipa-agent-management",
        metadata={"receiver": receiver},
        **texts,
    )


def is_failure(message: Message) -> bool:
    """Return whether a message is a `failure` of any container's management agent."""
    return message.performative == "failure" and (message.sender or "").startswith(f"{MANAGEMENT}@")
