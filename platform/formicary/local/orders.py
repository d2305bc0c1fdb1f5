"""What a program says to its containers in other processes, and they to it: lines of JSON on a socket."""

from __future__ import annotations

import asyncio
from typing import IO, TYPE_CHECKING, Any, Final, Self

import msgspec

from formicary.local.script import Script  # noqa: TC001 -- msgspec reads the types

if TYPE_CHECKING:
    import socket

_LONGEST: Final = 1 << 26  # bytes of a line: names of a million agents


class Open(msgspec.Struct, tag="open", frozen=True):
    """Open a container, which joins another. The first order; `Done` or `Refused` answers.

    Args:
        name: its own name.
        join: the other's join address, which is a secret.
        options: more of what `Container` takes.
        path: where Python looks for modules.
        arguments: `sys.argv` of the program.
        interface: on another host, the network interface at which it is reached; empty for the only one, or
            that of the host's name. None on the program's host.
    """

    name: str
    join: str
    options: dict[str, Any]
    path: list[str]
    arguments: list[str]
    interface: str | None = None


class Meet(msgspec.Struct, tag="meet", frozen=True):
    """Wait until links to all containers of the local platform are open, and find agents there by name."""

    domains: list[str]


class Allow(msgspec.Struct, tag="allow", frozen=True):
    """Let agents of a module be created.

    Args:
        module: its name.
        file: where it is, if it cannot be imported by its name.
    """

    module: str
    file: str | None = None


class LoadScript(msgspec.Struct, tag="load-script", frozen=True):
    """Run a script as `formicary run` does; the answer has the names of its agents."""

    script: Script
    needs_some: bool = True


class StartLoaded(msgspec.Struct, tag="start-loaded", frozen=True):
    """Start one of the script's agents."""

    name: str


class Join(msgspec.Struct, tag="join", frozen=True):
    """Wait until no agent is left; the answer has the container's name if there were some at first."""


class Close(msgspec.Struct, tag="close", frozen=True):
    """Stop the agents, close the container, and end."""


Order = Open | Meet | Allow | LoadScript | StartLoaded | Join | Close


class Numbered(msgspec.Struct, frozen=True):
    """An order with its number, which the answer has, too."""

    number: int
    order: Order


class Done(msgspec.Struct, tag="done", frozen=True):
    """What was ordered is done."""

    number: int
    names: list[str] = []


class Refused(msgspec.Struct, tag="refused", frozen=True):
    """What was ordered is not done.

    Args:
        number: that of the order.
        reason: why not, as a sentence.
        error: the name of the class of `formicary.errors`.
    """

    number: int
    reason: str
    error: str


class Gone(msgspec.Struct, tag="gone", frozen=True):
    """Agents have ended."""

    names: list[str]


class Ended(msgspec.Struct, tag="ended", frozen=True):
    """The container has closed, and its process ends: the last that is said.

    Args:
        errors: how many errors the platform has logged there.
        dead_letters: how many messages could not be delivered.
        reasons: the most frequent reasons, and how often.
        exit_code: what an agent has ended the program with, if one has; as text where it is no number.
        has_exited: whether one has.
    """

    errors: int = 0
    dead_letters: int = 0
    reasons: list[tuple[str, int]] = []
    exit_code: int | str | None = None
    has_exited: bool = False


Report = Done | Refused | Gone | Ended

_encode = msgspec.json.Encoder().encode
_decode_order = msgspec.json.Decoder(Numbered).decode
_decode_report = msgspec.json.Decoder(Report).decode


class Line:
    """One end of the socket between a program and one of its containers.

    Args:
        reader: of the socket.
        writer: of the socket.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, connected: socket.socket) -> Self:
        """Return an end of what is connected already."""
        return cls(*await asyncio.open_unix_connection(sock=connected, limit=_LONGEST))

    @classmethod
    async def over_pipes(cls, incoming: IO[bytes], outgoing: IO[bytes]) -> Self:
        """Return an end that reads from one and writes to the other."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=_LONGEST)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), incoming)
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop=loop), outgoing
        )
        return cls(reader, asyncio.StreamWriter(transport, protocol, None, loop))

    def send(self, said: Numbered | Report) -> None:
        """Say something; nothing happens where nobody listens any more."""
        if not self._writer.is_closing():
            self._writer.write(_encode(said) + b"\n")

    async def read_order(self) -> Numbered | None:
        """Return the next order; None when the program has gone."""
        line = await self._read()
        return _decode_order(line) if line else None

    async def read_report(self) -> Report | None:
        """Return what is said next; None when the process has gone."""
        line = await self._read()
        return _decode_report(line) if line else None

    async def _read(self) -> bytes:
        try:
            line = await self._reader.readline()
        except (ConnectionError, ValueError):
            return b""
        return line if line.endswith(b"\n") else b""

    async def drain(self) -> None:
        """Wait until what was said is on its way."""
        try:
            await self._writer.drain()
        except ConnectionError:
            return

    def close(self) -> None:
        """Say nothing more."""
        self._writer.close()
