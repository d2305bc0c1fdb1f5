"""The channel between `formicary profile` and the program it started, over a pair of sockets."""

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

_PIECE = 1 << 16  # bytes per read


class Report(msgspec.Struct, frozen=True, tag="report"):
    """Requests the program's `WindowFacts`."""


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The program has finished, and waits for its clocks to be read."""


class WindowFacts(msgspec.Struct, frozen=True, tag="facts"):
    """What only the program knows about its window.

    Attributes:
        threads: names of Python's threads, by thread ID.
        collections: the garbage collector's time: thread, stack with the outermost frame first, seconds.
    """

    threads: dict[int, str] = {}
    collections: tuple[tuple[int, tuple[Frame, ...], float], ...] = ()


Said = Ready | Go | Report | WindowFacts | Over


class ControlChannel:
    """One end of the channel.

    The program sends `Ready` before its first line, and starts on the profiler's `Go`. Start and end of the
    window are written to shared memory, not sent: in a busy program, a second thread may take seconds to read
    a message.

    Args:
        end: a connected socket, closed with this.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._lines: Lines[Said] = Lines(Said)
        self._heard: deque[Said] = deque()

    def send(self, said: Said) -> bool:
        """Send a message; return False if the other side is gone."""
        try:
            self._end.sendall(encode(said) + b"\n")
        except OSError:
            return False
        return True

    def receive(self, seconds: float | None = None) -> Said | None:
        """Return the next message; None if the other side is gone, or `seconds` have passed."""
        self._end.settimeout(seconds)
        try:
            while not self._heard and (data := self._end.recv(_PIECE)):
                self._heard += self._lines.feed(data)
        except (OSError, LineError):
            return None
        return self._heard.popleft() if self._heard else None

    def has_message(self) -> bool:
        """Return whether `receive` would return at once, with a message or because the other side is gone."""
        return bool(self._heard or select.select([self._end], [], [], 0)[0])

    def close(self) -> None:
        """Close this end."""
        self._end.close()
