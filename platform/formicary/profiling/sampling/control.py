"""What `formicary profile` and the program that it has started tell each other, over a pair of sockets."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

import msgspec

from formicary.profiling.model.profile import Frame  # noqa: TC001 -- msgspec looks at the types when it decodes

if TYPE_CHECKING:
    import socket

READY, START, TELL, DONE = b"ready\n", b"start\n", b"tell\n", b"done\n"
"""The program: I am about to start. Us: start. Us: tell what you know of the window. The program: I have
come to my end, and wait until you have looked.

When the window begins and ends is not said but written into memory that both share: a program that is busy
may take seconds until a second thread of it gets to hear something."""


class Told(msgspec.Struct, frozen=True):
    """What only the program itself knows of its window.

    Attributes:
        threads: names of Python's threads, by the operating system's number.
        collections: the garbage collector's time: thread, stack with the outermost frame first, seconds.
    """

    threads: dict[int, str] = {}
    collections: tuple[tuple[int, tuple[Frame, ...], float], ...] = ()


class Line:
    """One end of the line between the two.

    Args:
        end: a connected socket. It is closed with this.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._file = end.makefile("rb")

    def say(self, word: bytes) -> bool:
        """Say something that ends with a line feed; return False if nobody listens any more."""
        try:
            self._end.sendall(word)
        except OSError:
            return False
        return True

    def hear(self, seconds: float | None = None) -> bytes:
        """Return the next line; nothing if the other side is gone, or says nothing for some seconds."""
        self._end.settimeout(seconds)
        try:
            return self._file.readline()
        except OSError:
            return b""

    def has_words(self) -> bool:
        """Tell whether `hear` would return at once: something was said, or the other side is gone."""
        return bool(select.select([self._end], [], [], 0)[0])

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._end.close()
