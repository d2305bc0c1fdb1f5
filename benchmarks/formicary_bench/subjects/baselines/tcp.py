"""The baseline of direct links: bare TCP sockets, one connection for each pair, a message in each write.

There are no batches, so agents of many pairs can be faster: a link sends everything of one turn of the loop
at once, over one connection. A frame is a message after its length.

The echoing side answers anyone who can reach its port: it carries nothing secret. TLS is version 1.3 with a
certificate made for the measurement, which the asking side checks.

The baseline `unix` uses Unix sockets instead, as direct links do on one host.
"""

from __future__ import annotations

import asyncio
import ssl
import struct
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, cast

from formicary.core.scratch import scratch_folder
from formicary.server.certificate import ensure_certificate
from formicary_bench.vocabulary.places import UNIX
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from formicary_bench.worker.workload import Workload

LENGTH = struct.Struct(">I")
"""What is before each frame: its length."""

_HOST = "localhost"  # the name in the certificate


class Framed(asyncio.Protocol):
    """Passes whole frames, with their headers, to `received`."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.rest = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's transport does not inherit from it

    def data_received(self, data: bytes) -> None:
        """Split the input into frames."""
        if not self.rest and len(data) == LENGTH.unpack_from(data)[0] + 4:  # the usual case
            self.received(data)
            return
        rest = self.rest
        rest += data
        while len(rest) >= LENGTH.size and len(rest) >= (end := LENGTH.unpack_from(rest)[0] + 4):
            frame = bytes(rest[:end])
            del rest[:end]
            self.received(frame)

    def received(self, frame: bytes) -> None:
        """Handle a frame; for subclasses."""
        raise NotImplementedError


class Responder(Framed):
    """Sends every frame back."""

    def received(self, frame: bytes) -> None:
        self.transport.write(frame)


class Requester(Framed):
    """Sends a frame after each answer."""

    def __init__(
        self, body: str, trips: int, times: PairTimes, finished: Callable[[Exception | None], None]
    ) -> None:
        super().__init__()
        self.body = body.encode()
        self.left = trips
        self.started, self.took = times.starts.append, times.rtts.append
        self.finished = finished
        self.start = 0

    def begin(self) -> None:
        self.start = perf_counter_ns()
        self.transport.write(LENGTH.pack(len(self.body)) + self.body)

    def received(self, frame: bytes) -> None:
        """Record the time, and send the next frame."""
        del frame
        start = self.start
        self.took(perf_counter_ns() - start)
        self.started(start)
        self.left -= 1
        if self.left:
            self.begin()
        else:
            self.finished(None)

    def connection_lost(self, error: Exception | None) -> None:
        """Fail if answers are still missing."""
        if self.left:
            self.finished(error or ConnectionError("the echoing process closed the connection"))


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Listen on a free port, on loopback if all are on one machine."""
    async with listening(work, Responder) as endpoint:
        yield PreparedRole(endpoint)


@asynccontextmanager
async def listening(work: Workload, make: Callable[[], Framed]) -> AsyncIterator[str]:
    """Listen on a free port, and yield the endpoint: address, port and certificate."""
    if work.configuration.route == UNIX:
        async with _listening_here(make, work.exchange.pairs) as path:
            yield f"{UNIX} {path} "
        return
    address = work.address
    context, certificate = _own_tls() if work.configuration.tls else (None, "")
    server = await asyncio.get_running_loop().create_server(
        make, address, 0, backlog=max(work.exchange.pairs, 1), ssl=context
    )
    async with server:
        yield f"{address} {server.sockets[0].getsockname()[1]} {certificate}"


@asynccontextmanager
async def _listening_here(make: Callable[[], Framed], pairs: int) -> AsyncIterator[Path]:
    """Listen on a Unix socket, and yield its path."""
    with scratch_folder() as folder:
        path = Path(folder, "socket")
        loop = asyncio.get_running_loop()
        async with await loop.create_unix_server(make, str(path), backlog=max(pairs, 1)):
            yield path


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Open a connection for each pair."""
    ends: asyncio.Queue[Exception | None] = asyncio.Queue()
    work.times += [PairTimes() for _ in work.senders]
    pairs = [Requester(work.body, work.trips, times, ends.put_nowait) for times in work.times]

    async def measure() -> None:
        for pair in pairs:
            pair.begin()
        for _ in pairs:
            if (error := await ends.get()) is not None:
                raise error

    async with connected(pairs, work.job.peer):
        yield PreparedRole(measure=measure)


@asynccontextmanager
async def connected(ends: Iterable[Framed], endpoint: str) -> AsyncIterator[None]:
    """Connect each end to an endpoint, and close the connections after the block."""
    with ExitStack() as stack:
        for end in ends:
            await _connect(end, endpoint)
            stack.callback(end.transport.close)
        yield


async def _connect(pair: Framed, endpoint: str) -> None:
    address, port, certificate = endpoint.split(" ", 2)
    if address == UNIX:
        await asyncio.get_running_loop().create_unix_connection(lambda: pair, port)
        return
    context = _their_tls(certificate) if certificate else None
    name = _HOST if certificate else None
    await asyncio.get_running_loop().create_connection(
        lambda: pair, address, int(port), ssl=context, server_hostname=name
    )


def _own_tls() -> tuple[ssl.SSLContext, str]:
    """Return the TLS context of the echoing side, and its certificate."""
    with scratch_folder() as folder:
        ensure_certificate(Path(folder), _HOST)
        file = Path(folder, f"{_HOST}.crt")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(file, file.with_suffix(".key"))
        return context, file.read_text(encoding="ascii")


def _their_tls(certificate: str) -> ssl.SSLContext:
    """Return the TLS context by which the asking side checks that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=certificate)
    return context
