"""What `formicary profile` and the program that it has started say to each other, over a pair of sockets."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

import msgspec

from formicary.profiling.model.profile import Frame  # noqa: TC001 -- msgspec looks at the types when it decodes

if TYPE_CHECKING:
    import socket

READY, START, REPORT, DONE = b"ready\n", b"start\n", b"report\n", b"done\n"
"""The program says READY before its first line and DONE after its last, and waits for its clocks to be read.
The profiler says START, and REPORT to be sent the `WindowFacts`.

When the window begins and ends is not said but written into memory that both share: a busy program may take
seconds until a second thread of it gets to read a message."""


class WindowFacts(msgspec.Struct, frozen=True):
    """What only the program itself knows of its window.

    Attributes:
        threads: names of Python's threads, by the operating system's number.
        collections: the garbage collector's time: thread, stack with the outermost frame first, seconds.
    """

    threads: dict[int, str] = {}
    collections: tuple[tuple[int, tuple[Frame, ...], float], ...] = ()


class ControlChannel:
    """One end of the channel between the two; messages are lines.

    Args:
        end: a connected socket, which is closed with this.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._file = end.makefile("rb")

    def send(self, message: bytes) -> bool:
        """Send a message, which ends with a line feed; return False if the other side is gone."""
        try:
            self._end.sendall(message)
        except OSError:
            return False
        return True

    def receive(self, seconds: float | None = None) -> bytes:
        """Return the next message; nothing if the other side is gone, or is silent for some seconds."""
        self._end.settimeout(seconds)
        try:
            return self._file.readline()
        except OSError:
            return b""

    def has_message(self) -> bool:
        """Return whether `receive` would return at once: with a message, or as the other side is gone."""
        return bool(select.select([self._end], [], [], 0)[0])

    def close(self) -> None:
        """Close this end."""
        self._file.close()
        self._end.close()
