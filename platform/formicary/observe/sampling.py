"""Which messages are shown where there are too many: whole conversations, chosen as by chance; no I/O."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar
from zlib import crc32

T = TypeVar("T")

MARKS = 65_536
"""Marks are 0 up to this."""

_REMEMBERED = 65_536


SUSPECT = -1
"""The mark of what is to be looked at, however little is shown."""

_REMEMBERED = 65_536


class Marks(dict["str | None", int]):
    """The mark of each name: a number that looks like chance, and is the same in all processes."""

    def __missing__(self, name: str | None) -> int:
        """Return the mark of a name that is new."""
        if len(self) >= _REMEMBERED:
            self.clear()
        mark = self[name] = self._mark_of(name)
        return mark

    def _mark_of(self, name: str | None) -> int:
        return crc32(str(name).encode(errors="replace")) % MARKS


class Suspects(Marks):
    """Marks of conversations where there are filters: `SUSPECT` where these may let messages through.

    Args:
        wanted: the only conversation that they let through; empty if that may be any.
    """

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self._wanted = wanted

    def _mark_of(self, name: str | None) -> int:
        return SUSPECT if not self._wanted or name == self._wanted else MARKS


class Sampler(Generic[T]):
    """Keeps what is to be shown, up to a number, until it is taken.

    Each item has the mark of its conversation, and kept are those below a threshold. Where there is no room
    for more, the threshold is lowered, and what is not below it any more is dropped: so what is kept is all
    that there was of fewer conversations. Where little comes, it is raised again. Only of a conversation that
    has no room by itself a part is left out.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self.most = max(1, most)
        self.threshold = MARKS
        """What has a mark below it is to be added."""
        self._kept: deque[tuple[int, T]] = deque()
        self._then = MARKS  # what the threshold is when what is kept has been taken

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
        if len(self._kept) >= self.most:  # of one conversation: no more of it until there is room again
            self.threshold = 0

    def reset(self) -> None:
        """Keep nothing, and begin anew."""
        self._kept.clear()
        self.threshold = self._then = MARKS

    def take(self) -> list[T]:
        """Return what was kept, and keep it no longer."""
        taken = [item for _, item in self._kept]
        self._kept.clear()
        self.threshold = self._then
        if len(taken) <= self.most // 4:
            self.threshold = self._then = min(MARKS, self.threshold * 2)
        return taken
