"""What a process and the one that has started it say to each other: a line of JSON each, of a known type.

Nothing that comes is believed: a line is no longer than it may be, and of the type that belongs there.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final, Generic, Protocol, Self, TypeVar

import msgspec

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

LONGEST: Final = 1 << 26
"""Bytes of the longest line, where nobody says otherwise: names of a million agents."""

_PIECE: Final = 1 << 18  # bytes that are read at once
_SHOWN: Final = 80  # characters of a line that nobody understands

encode: Final = msgspec.json.Encoder().encode

R = TypeVar("R")


class LineError(ValueError):
    """What has come is no line of the protocol: what it is instead, as a part of a sentence."""


class LongLineError(LineError):
    """A line is longer than it may be."""

    def __init__(self, longest: int) -> None:
        super().__init__(f"a line of more than {longest} bytes")


class Lines(Generic[R]):
    """What was said, out of bytes, however these come.

    Args:
        kind: the type of what is said.
        longest: bytes that a line may have.
    """

    def __init__(self, kind: Any, longest: int = LONGEST) -> None:
        self._decode = msgspec.json.Decoder(kind).decode
        self._longest = longest
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[R]:
        """Return what is complete with these bytes; an empty piece is the end.

        Raises:
            LineError: a line does not end, or cannot be understood; the latter when it is its turn.
        """
        self._rest += data
        lines: list[bytes] = []
        if b"\n" in data:
            *lines, rest = bytes(self._rest).split(b"\n")
            self._rest = bytearray(rest)
        if len(self._rest) > self._longest or any(len(line) > self._longest for line in lines):
            raise LongLineError(self._longest)
        if not data and self._rest:
            raise _nonsense(bytes(self._rest), "the line does not end")
        return map(self._understand, lines)

    def _understand(self, line: bytes) -> R:
        try:
            said: R = self._decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _nonsense(line, str(error)) from None
        return said


class Reader(Protocol):
    """Where lines come from: a stream of asyncio's, or of asyncssh's."""

    async def read(self, n: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""


class Line(Generic[R]):
    """One end of a connection between two processes, in an event loop.

    Args:
        reader: where lines come from.
        writer: where lines go to, a stream of asyncio's or of asyncssh's.
        kind: the type of what comes.
        longest: bytes that a line may have.
        unread: what has come of the lines already.

    Attributes:
        heard: when anything came last, by `time.monotonic`.
    """

    def __init__(
        self, reader: Reader, writer: Any, kind: Any, *, longest: int = LONGEST, unread: bytes = b""
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._lines: Lines[R] = Lines(kind, longest)
        self._said = self._lines.feed(unread) if unread else iter(())
        self._incoming: asyncio.ReadTransport | None = None
        self.heard = time.monotonic()

    @classmethod
    async def open(cls, connected: socket.socket, kind: Any) -> Self:
        """Return an end of what is connected already."""
        return cls(*await asyncio.open_unix_connection(sock=connected), kind)

    @classmethod
    async def over_pipes(
        cls, incoming: IO[bytes], outgoing: IO[bytes], kind: Any, longest: int = LONGEST
    ) -> Self:
        """Return an end that reads from one and writes to the other, and closes both."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        from_it, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
        to_it, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop=loop), outgoing
        )
        line = cls(reader, asyncio.StreamWriter(to_it, protocol, None, loop), kind, longest=longest)
        line._incoming = from_it
        return line

    def send(self, said: msgspec.Struct) -> None:
        """Send something; do nothing if the other side is gone."""
        with suppress(ConnectionError):
            if not self._writer.is_closing():
                self._writer.write(encode(said) + b"\n")

    async def receive(self) -> R | None:
        """Return what is said next; None when the other side has gone.

        Raises:
            LineError: it cannot be understood, or does not end.
        """
        while True:
            for said in self._said:
                return said
            data = b""
            with suppress(ConnectionError):
                data = await self._reader.read(_PIECE)
            self.heard = time.monotonic()
            self._said = self._lines.feed(data)
            if not data:
                return None

    async def drain(self) -> None:
        """Wait until what was said is on its way."""
        with suppress(ConnectionError):
            await self._writer.drain()

    def close(self) -> None:
        """Send and receive nothing more."""
        self._writer.close()
        if self._incoming is not None:
            self._incoming.close()


def _nonsense(line: bytes, why: str) -> LineError:
    return LineError(f"{line.decode(errors='replace').strip()[:_SHOWN]!r} ({why})")
