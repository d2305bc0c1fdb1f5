"""What a process and the one that has started it say to each other: a line of JSON each, of a known type.

Nothing that comes is believed: a line is no longer than it may be, and of the type that belongs there.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

import msgspec

if TYPE_CHECKING:
    import socket

LONGEST: Final = 1 << 26
"""Bytes of the longest line, where nobody says otherwise: names of a million agents."""

_SHOWN: Final = 80  # characters of a line that nobody understands

encode: Final = msgspec.json.Encoder().encode

R = TypeVar("R")


class LineError(ValueError):
    """What has come is no line of the protocol: what it is instead, as a part of a sentence."""


class LongLineError(LineError):
    """A line is longer than it may be."""

    def __init__(self, longest: int) -> None:
        super().__init__(f"a line of more than {longest} bytes")


class Lines:
    """Lines out of bytes, however these come.

    Args:
        longest: bytes that a line may have.
    """

    def __init__(self, longest: int = LONGEST) -> None:
        self._longest = longest
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that are complete with these bytes.

        Raises:
            LongLineError: one does not end.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > self._longest:
            raise LongLineError(self._longest)
        return lines


class Line(Generic[R]):
    """One end of a connection between two processes, in an event loop.

    Args:
        reader: where lines come from.
        writer: where lines go to.
        kind: the type of what comes.
        longest: bytes that a line may have; that of the reader.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kind: Any, longest: int = LONGEST
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._longest = longest
        self._decode = msgspec.json.Decoder(kind).decode
        self._incoming: asyncio.ReadTransport | None = None

    @classmethod
    async def open(cls, connected: socket.socket, kind: Any) -> Self:
        """Return an end of what is connected already."""
        return cls(*await asyncio.open_unix_connection(sock=connected, limit=LONGEST), kind)

    @classmethod
    async def over_pipes(
        cls, incoming: IO[bytes], outgoing: IO[bytes], kind: Any, longest: int = LONGEST
    ) -> Self:
        """Return an end that reads from one and writes to the other, and closes both."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=longest)
        from_it, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
        to_it, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop=loop), outgoing
        )
        line = cls(reader, asyncio.StreamWriter(to_it, protocol, None, loop), kind, longest)
        line._incoming = from_it
        return line

    def send(self, said: msgspec.Struct) -> None:
        """Say something; nothing happens where nobody listens any more."""
        if not self._writer.is_closing():
            self._writer.write(encode(said) + b"\n")

    async def receive(self) -> R | None:
        """Return what is said next; None when the other side has gone.

        Raises:
            LineError: it cannot be understood, or does not end.
        """
        try:
            line = await self._reader.readuntil(b"\n")
        except ConnectionError:
            return None
        except asyncio.LimitOverrunError:
            raise LongLineError(self._longest) from None
        except asyncio.IncompleteReadError as error:
            if not error.partial:
                return None
            raise _nonsense(error.partial, "the line does not end") from None
        try:
            said: R = self._decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _nonsense(line, str(error)) from None
        return said

    async def drain(self) -> None:
        """Wait until what was said is on its way."""
        with suppress(ConnectionError):
            await self._writer.drain()

    def close(self) -> None:
        """Say and hear nothing more."""
        self._writer.close()
        if self._incoming is not None:
            self._incoming.close()


def _nonsense(line: bytes, why: str) -> LineError:
    return LineError(f"{line.decode(errors='replace').strip()[:_SHOWN]!r} ({why})")
