"""Messages that have arrived at the other end of a link, and are not known to be taken there."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.transport.link.receipts import Receipt

LIMIT: Final = 100_000
"""Kept messages at which sending stops."""
LIMIT_BYTES: Final = 1 << 26
"""Bytes of kept messages, as sent, at which sending stops."""


class Unconsumed:
    """The messages of a session that the other end has acknowledged but not told to be taken.

    Batches are in one queue. Messages that a receipt leaves open are taken out of it one by one, so that a
    slow receiver keeps nothing else in memory.

    Attributes:
        is_full: whether so many are kept that sending stops.
        full_since: since when it is full and nothing was taken, as recorded by the caller.
    """

    __slots__ = ("_batches", "_count", "_dropped", "_known", "_open", "_out", "full_since", "is_full", "size")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin a session: nothing has arrived."""
        self._batches: deque[tuple[int, int, Any]] = deque()  # number of the last message, bytes, messages
        self._out = 0  # the number of the last message before these
        self._count = 0  # the number of the last message that has arrived
        self._known = 0  # up to which number receipts tell
        self._dropped = 0  # up to which number messages were withdrawn
        self._open: dict[int, tuple[Any, int]] = {}  # open messages and their bytes, by number
        self.size = 0
        """Bytes of the kept messages, as sent."""
        self.is_full = False
        self.full_since: float | None = None

    def __len__(self) -> int:
        return self._count - max(self._known, self._dropped) + len(self._open)

    def is_open(self, number: int) -> bool:
        """Return whether a message of the session, by its number, may still fail."""
        return number > max(self._known, self._dropped) or number in self._open

    def add(self, batch: Any, size: int) -> None:
        """Keep a batch that has arrived, with at least one message; `size` is in bytes."""
        self._count = count = self._count + len(batch)
        self.size += size
        self._batches.append((count, size, batch))
        if self.size >= LIMIT_BYTES or count - self._known >= LIMIT:
            self.is_full = True

    def settle(self, receipt: Receipt) -> None:
        """Handle a receipt; if it is invalid, raise ValueError and change nothing."""
        if not self._known <= receipt.upto <= self._count:
            raise ValueError(
                f"a receipt for the messages up to {receipt.upto}, where {self._known} were told of and "
                f"{self._count} have arrived"
            )
        opened = list(_pairs(receipt.opened, self._known, receipt.upto))
        settled = self._find(list(_pairs(receipt.settled, 0, self._known)))
        for number in settled:
            self.size -= self._open.pop(number)[1]
        self._advance(receipt.upto, opened)
        self._known = receipt.upto
        self._weigh()

    def _find(self, ranges: list[tuple[int, int]]) -> list[int]:
        """Return the open messages in some ranges; ValueError if these include others."""
        numbers: list[int] = []
        for first, count in ranges:
            if count > len(self._open):
                found = [number for number in self._open if first <= number < first + count]
            else:
                found = [number for number in range(first, first + count) if number in self._open]
            if len(found) < count and first + len(found) > self._dropped:
                raise ValueError(f"a receipt for {count} messages from {first} on that were not open")
            numbers += found
        return numbers

    def _advance(self, upto: int, opened: list[tuple[int, int]]) -> None:
        """Drop what was sent up to a number, except what is open."""
        batches = self._batches
        while not opened and batches and batches[0][0] <= upto:  # the usual case
            self._out, size, _ = batches.popleft()
            self.size -= size
        index = 0
        while batches and (first := self._out + 1) <= upto:
            last, size, batch = batches.popleft()
            self.size -= size
            self._out = stop = min(last, upto)
            share = size // (last - first + 1)
            letters = batch[:] if index < len(opened) and opened[index][0] <= stop else ()
            while index < len(opened) and opened[index][0] <= stop:
                start, count = opened[index]
                for number in range(max(start, first), min(start + count - 1, stop) + 1):
                    self._open[number] = letters[number - first], share
                    self.size += share
                if start + count - 1 > stop:
                    break
                index += 1
            if stop < last:
                rest = batch[stop + 1 - first :]
                batches.appendleft((last, share * len(rest), rest))
                self.size += share * len(rest)

    def _weigh(self) -> None:
        self.full_since = None
        self.is_full = self.size >= LIMIT_BYTES or len(self) >= LIMIT

    def withdraw(self, most: int | None = None) -> list[Any]:
        """Remove and return batches of at least `most` messages, or all: open ones, then the oldest."""
        taken: list[Any] = [[message for message, _ in self._open.values()]] if self._open else []
        count = len(self._open)
        self.size -= sum(size for _, size in self._open.values())
        self._open.clear()
        self._dropped = max(self._dropped, self._known)
        while self._batches and (most is None or count < most):
            self._out, size, batch = self._batches.popleft()
            self._dropped = self._out
            taken.append(batch)
            count += len(batch)
            self.size -= size
        self._weigh()
        return taken


def _pairs(ranges: list[int], after: int, upto: int) -> Iterator[tuple[int, int]]:
    """Return the ranges of a receipt, above `after` and up to `upto`; ValueError if they are invalid."""
    if len(ranges) % 2:
        raise ValueError("a receipt with half a range")
    for first, count in zip(ranges[::2], ranges[1::2], strict=True):
        if first <= after or count < 1 or first + count - 1 > upto:
            raise ValueError(
                f"a receipt for messages {first} to {first + count - 1}, not {after + 1} to {upto}"
            )
        after = first + count - 1
        yield first, count
