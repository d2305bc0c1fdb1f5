"""What `formicary profile` and the program that it has started say to each other, over a pair of sockets."""

from __future__ import annotations

import select
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from formicary.processes.lines import LineError, Lines, encode
from formicary.processes.messages import Go, Ready
from formicary.profiling.model.profile import Frame  # noqa: TC001 -- msgspec looks at the types when it decodes

if TYPE_CHECKING:
    import socket

_PIECE = 1 << 16  # bytes that are read at once


class Report(msgspec.Struct, frozen=True, tag="report"):
    """The profiler wants the program's `WindowFacts`."""


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The program has run its last line, and waits for its clocks to be read."""


class WindowFacts(msgspec.Struct, frozen=True, tag="facts"):
    """What only the program itself knows of its window.

    Attributes:
        threads: names of Python's threads, by the operating system's number.
        collections: the garbage collector's time: thread, stack with the outermost frame first, seconds.
    """

    threads: dict[int, str] = {}
    collections: tuple[tuple[int, tuple[Frame, ...], float], ...] = ()


Said = Ready | Go | Report | WindowFacts | Over


class ControlChannel:
    """One end of the channel between the two.

    The program is `Ready` before its first line, and begins when the profiler says `Go`. When the window
    begins and ends is not said but written into memory that both share: a busy program may take seconds until
    a second thread of it gets to read a message.

    Args:
        end: a connected socket, which is closed with this.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._lines: Lines[Said] = Lines(Said)
        self._heard: deque[Said] = deque()

    def send(self, said: Said) -> bool:
        """Send something; return False if the other side is gone."""
        try:
            self._end.sendall(encode(said) + b"\n")
        except OSError:
            return False
        return True

    def receive(self, seconds: float | None = None) -> Said | None:
        """Return what is said next; None if the other side is gone, or is silent for some seconds."""
        self._end.settimeout(seconds)
        try:
            while not self._heard and (data := self._end.recv(_PIECE)):
                self._heard += self._lines.feed(data)
        except (OSError, LineError):
            return None
        return self._heard.popleft() if self._heard else None

    def has_message(self) -> bool:
        """Return whether `receive` would return at once: with a message, or as the other side is gone."""
        return bool(self._heard or select.select([self._end], [], [], 0)[0])

    def close(self) -> None:
        """Close this end."""
        self._end.close()
