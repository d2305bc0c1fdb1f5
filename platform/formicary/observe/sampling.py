"""The choice of messages to show when there are too many: whole conversations, pseudorandomly; no I/O."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar
from zlib import crc32

T = TypeVar("T")

MARKS = 65_536
"""Marks are from 0 up to this, exclusive."""

_REMEMBERED = 65_536


SUSPECT = -1
"""The mark of items to examine even if few are shown."""

_REMEMBERED = 65_536


class Marks(dict["str | None", int]):
    """The mark of each name: a pseudorandom number, the same in all processes."""

    def __missing__(self, name: str | None) -> int:
        """Compute the mark of a new name."""
        if len(self) >= _REMEMBERED:
            self.clear()
        mark = self[name] = self._mark_of(name)
        return mark

    def _mark_of(self, name: str | None) -> int:
        return crc32(str(name).encode(errors="replace")) % MARKS


class Suspects(Marks):
    """Marks of conversations with filters: `SUSPECT` if messages may match these.

    Args:
        wanted: the only conversation that matches; empty if any may.
    """

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self._wanted = wanted

    def _mark_of(self, name: str | None) -> int:
        return SUSPECT if not self._wanted or name == self._wanted else MARKS


class Sampler(Generic[T]):
    """Keeps items to show, up to a number, until they are taken.

    Each item has the mark of its conversation, and items with marks below a threshold are kept. When room
    runs out, the threshold is lowered, and items no longer below it are dropped: what remains is complete, of
    fewer conversations. Under less load, it is raised again. Only a conversation that alone exceeds the room
    is kept in part.
    """

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.threshold = MARKS
        """Items with marks below it are to be added."""
        self._kept: deque[tuple[int, T]] = deque()
        self._then = MARKS  # the threshold after the next `take`

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, mark: int, item: T) -> None:
        """Keep an item with a mark below the threshold, if there is room for its conversation."""
        if len(self._kept) >= self.most:
            self._make_room()
        if mark < self.threshold:
            self._kept.append((mark, item))

    def _make_room(self) -> None:
        marks = sorted(mark for mark, _ in self._kept)
        middle = marks[len(marks) // 2]
        self.threshold = middle + 1 if middle == marks[0] else middle
        self._kept = deque(each for each in self._kept if each[0] < self.threshold)
        self._then = self.threshold
        if len(self._kept) >= self.most:  # all of one conversation: no more until there is room
            self.threshold = 0

    def reset(self) -> None:
        """Drop everything and start anew."""
        self._kept.clear()
        self.threshold = self._then = MARKS

    def take(self) -> list[T]:
        """Remove and return the kept items."""
        taken = [item for _, item in self._kept]
        self._kept.clear()
        self.threshold = self._then
        if len(taken) <= self.most // 4:
            self.threshold = self._then = min(MARKS, self.threshold * 2)
        return taken
