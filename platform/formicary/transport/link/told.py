"""Failures that the other end of a link has reported, so that these messages do not fail twice."""

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
    """Failures that have arrived over a link since the latest receipt.

    A failure arrives before the receipt for its message. If the link ends in between, the message counts as
    not taken, and its sender would be told a second reason. Only messages with a `reply_with` can be matched.
    """

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Forget all failures: a receipt has arrived, or a session begins."""
        self._told: Counter[tuple[object, ...]] = Counter()

    def note(self, message: Message) -> None:
        """Record an incoming message, if it reports a failure."""
        if message.in_reply_to is not None and is_failure(message) and len(self._told) < _MOST:
            failed = (message.metadata or {}).get("receiver")
            self._told[message.to, failed, message.in_reply_to] += 1

    def without(self, letters: Iterable[Letter]) -> Iterable[Letter]:
        """Return the letters whose failure has not been reported yet."""
        return _without(letters, self._told) if self._told else letters


def _without(letters: Iterable[Letter], told: Counter[tuple[object, ...]]) -> Iterator[Letter]:
    for message, receiver in letters:
        key = message.sender, receiver, message.reply_with
        if told[key] > 0:
            told[key] -= 1
        else:
            yield message, receiver
