"""What `formicary profile` and the program that it has started say to each other, over a pair of sockets."""

from __future__ import annotations

from multiprocessing.connection import Connection

import msgspec

from formicary.processes.messages import Go, Ready
from formicary.profiling.model.profile import Frame  # noqa: TC001 -- msgspec looks at the types when it decodes


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
_decode = msgspec.json.Decoder(Said).decode


class ControlChannel:
    """One end of the channel between the two.

    The program is `Ready` before its first line, and begins when the profiler says `Go`. When the window
    begins and ends is not said but written into memory that both share: a busy program may take seconds until
    a second thread of it gets to read a message.

    Args:
        descriptor: of a connected socket, which is closed with this.
    """

    def __init__(self, descriptor: int) -> None:
        self._end = Connection(descriptor)

    def send(self, said: Said) -> bool:
        """Send something; return False if the other side is gone."""
        try:
            self._end.send_bytes(msgspec.json.encode(said))
        except OSError:
            return False
        return True

    def receive(self, seconds: float | None = None) -> Said | None:
        """Return what is said next; None if the other side is gone, or is silent for some seconds."""
        try:
            return _decode(self._end.recv_bytes()) if self._end.poll(seconds) else None
        except (OSError, EOFError, msgspec.DecodeError):
            return None

    def has_message(self) -> bool:
        """Return whether `receive` would return at once: with a message, or as the other side is gone."""
        return self._end.poll()

    def close(self) -> None:
        """Close this end."""
        self._end.close()
