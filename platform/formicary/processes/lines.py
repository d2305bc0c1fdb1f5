"""The exchange between a process and its parent: JSON lines of known types.

Nothing received is trusted: length and type of each line are checked.
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
"""The default limit of a line in bytes: names of a million agents."""

_PIECE: Final = 1 << 18  # bytes per read
_SHOWN: Final = 80  # characters of an invalid line in errors

encode: Final = msgspec.json.Encoder().encode

R = TypeVar("R")


class LineError(ValueError):
    """The input is not a line of the protocol; the text, part of a sentence, says what it is."""


class LongLineError(LineError):
    """A line is too long."""

    def __init__(self, longest: int) -> None:
        super().__init__(f"a line of more than {longest} bytes")


class Lines(Generic[R]):
    """Decodes messages from bytes in pieces of any size.

    Args:
        kind: the type of the messages.
        longest: the longest line in bytes.
    """

    def __init__(self, kind: Any, longest: int = LONGEST) -> None:
        self._decode = msgspec.json.Decoder(kind).decode
        self._longest = longest
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[R]:
        """Return the messages completed by these bytes; an empty piece is the end.

        Raises:
            LineError: a line does not end, or is invalid; the latter when its turn comes.
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
    """A source of lines: a stream of asyncio or asyncssh."""

    async def read(self, n: int, /) -> bytes:
        """Return at most `n` bytes; none at the end."""


class Line(Generic[R]):
    """One end of a connection between two processes, in an event loop.

    Args:
        reader: the source of lines.
        writer: the destination of lines, a stream of asyncio or asyncssh.
        kind: the type of received messages.
        longest: the longest line in bytes.

    Attributes:
        heard: when anything was last received, by `time.monotonic`.
    """

    def __init__(self, reader: Reader, writer: Any, kind: Any, *, longest: int = LONGEST) -> None:
        self._reader = reader
        self._writer = writer
        self._lines: Lines[R] = Lines(kind, longest)
        self._said: Iterator[R] = iter(())
        self._incoming: asyncio.ReadTransport | None = None
        self.heard = time.monotonic()

    @classmethod
    async def open(cls, connected: socket.socket, kind: Any) -> Self:
        """Return an end of a connected socket."""
        return cls(*await asyncio.open_unix_connection(sock=connected), kind)

    @classmethod
    async def over_pipes(
        cls, incoming: IO[bytes], outgoing: IO[bytes], kind: Any, longest: int = LONGEST
    ) -> Self:
        """Return an end that reads from one stream, writes to the other, and closes both."""
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
        """Send a message; do nothing if the other side is gone."""
        with suppress(ConnectionError):
            if not self._writer.is_closing():
                self._writer.write(encode(said) + b"\n")

    async def receive(self) -> R | None:
        """Return the next message; None when the other side is gone.

        Raises:
            LineError: it is invalid, or does not end.
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
        """Wait until sent messages are flushed."""
        with suppress(ConnectionError):
            await self._writer.drain()

    def close(self) -> None:
        """Stop sending and receiving."""
        self._writer.close()
        if self._incoming is not None:
            self._incoming.close()


def _nonsense(line: bytes, why: str) -> LineError:
    return LineError(f"{line.decode(errors='replace').strip()[:_SHOWN]!r} ({why})")
