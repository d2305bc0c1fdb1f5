"""What the other end of a link has said to have failed, so that it does not fail here once more."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from formicary.container.dead_letters import is_failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary.core.message import Message
    from formicary.transport.link.outbox import Letter

_MOST: Final = 10_000  # failures between two receipts


class ToldFailures:
    """Failures that have come over a link since the latest receipt, which does not cover their messages.

    They come before the receipt that does. If the link ends in between, the messages count as not taken, and
    their senders would be told another reason. Only those with a `reply_with` can be told apart.
    """

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin anew, as a receipt has come, or with a session."""
        self._told: Counter[tuple[object, ...]] = Counter()

    def note(self, message: Message) -> None:
        """Take note of a message that has come, if it says that another one has failed."""
        if message.in_reply_to is not None and is_failure(message) and len(self._told) < _MOST:
            failed = (message.metadata or {}).get("receiver")
            self._told[message.to, failed, message.in_reply_to] += 1

    def without(self, letters: Iterable[Letter]) -> Iterable[Letter]:
        """Return what is to fail of messages that the other end had, each with its receiver."""
        return _without(letters, self._told) if self._told else letters


def _without(letters: Iterable[Letter], told: Counter[tuple[object, ...]]) -> Iterator[Letter]:
    for message, receiver in letters:
        key = message.sender, receiver, message.reply_with
        if told[key] > 0:
            told[key] -= 1
        else:
            yield message, receiver
