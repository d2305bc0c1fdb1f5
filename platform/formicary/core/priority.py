"""Priorities of messages: which of the messages in a mailbox is received first.

A priority is a value in a message's metadata, so it goes wherever that goes: to other containers, through a
server, and from and to agents of other platforms.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.core.message import Message

PRIORITY: Final = "priority"
"""The name in a message's metadata."""

URGENT: Final = "urgent"
LOW: Final = "low"

_LANES: Final = {URGENT: 0, LOW: 2}
_NORMAL: Final = 1


class Lanes(deque["Message"]):
    """Waiting messages: urgent ones first, those of low priority last, each in order of arrival.

    It replaces a mailbox's deque when the first message with a priority arrives, and has the methods that a
    mailbox uses.

    Args:
        messages: those that were waiting before.
    """

    __slots__ = ("_lanes",)

    def __init__(self, messages: deque[Message]) -> None:
        super().__init__()
        self._lanes: tuple[deque[Message], ...] = (deque(), messages, deque())

    def append(self, message: Message) -> None:
        """Put a message behind those of its priority."""
        self._lane_of(message).append(message)

    def appendleft(self, message: Message) -> None:
        """Put a message before those of its priority: it arrived before them, and was given back."""
        self._lane_of(message).appendleft(message)

    def popleft(self) -> Message:
        """Remove and return the next message."""
        for lane in self._lanes:
            if lane:
                return lane.popleft()
        raise IndexError("no message waits")

    def insert(self, index: int, message: Message) -> None:
        """Insert a message at an index among those of its priority."""
        self._lane_of(message).insert(index, message)

    def remove(self, message: Message) -> None:
        """Remove a message."""
        self._lane_of(message).remove(message)

    def _lane_of(self, message: Message) -> deque[Message]:
        metadata = message.metadata
        return self._lanes[_LANES.get(metadata.get(PRIORITY, ""), _NORMAL) if metadata else _NORMAL]

    def __len__(self) -> int:
        """Return the number of waiting messages."""
        return sum(map(len, self._lanes))

    def __iter__(self) -> Iterator[Message]:
        """Iterate over them in the order in which they are received."""
        for lane in self._lanes:
            yield from lane
