"""The baseline for messages through an XMPP server: bare components, one stanza for each message.

Each worker is one component (XEP-0114), as a container is, with nothing on top: stanzas are prepared strings,
and the input is split at end tags. So this measures what the same server takes for a stanza with one message,
and its rate of such stanzas when many pairs keep it busy. Agents can be faster: a container sends many
messages in one stanza, and the managed server passes containers' frames on without parsing them.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import ssl
from contextlib import asynccontextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, cast

from formicary.errors import LinkError
from formicary_bench.vocabulary.places import ASKING, ECHOING
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.messages import Server
    from formicary_bench.worker.workload import Workload

_SECONDS = 10.0  # until the server has accepted a component
_STREAM_ID = re.compile(rb"<stream:stream [^>]*\bid=['\"]([^'\"]*)['\"][^>]*>")
_ACCEPTED = re.compile(rb"<handshake\s*/>|<handshake></handshake>")
_ASKER = re.compile(rb"<message [^>]*\bfrom=['\"]asker-(\d+)@")
_ASKED = re.compile(rb"<message [^>]*\bto=['\"]asker-(\d+)@")
_END = b"</message>"
_ERROR = b"<error "


class Component(asyncio.Protocol):
    """A component's connection; subclasses handle its stanzas."""

    transport: asyncio.Transport

    def __init__(self, server: Server, name: str) -> None:
        self.domain = f"{name}.{server.platform}"
        self.server = server
        self.accepted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.rest = b""
        self.is_open = False

    async def connect(self) -> None:
        """Connect, and wait to be accepted.

        Raises:
            LinkError: the server did not accept it.
        """
        loop = asyncio.get_running_loop()
        server = self.server
        context = ssl.create_default_context(cafile=server.certificate) if server.certificate else None
        name = server.platform if context else None
        try:
            async with asyncio.timeout(_SECONDS):
                await loop.create_connection(
                    lambda: self, server.host, server.port, ssl=context, server_hostname=name
                )
                await self.accepted
        except (OSError, TimeoutError) as error:
            raise LinkError(f"the XMPP server did not accept the component {self.domain}: {error}") from None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Open the stream."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's transport does not inherit from it
        self.is_open = True
        self.transport.write(
            "<stream:stream xmlns='jabber:component:accept' xmlns:stream='http://etherx.jabber.org/streams' "
            f"to='{self.domain}'>".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Split the input into stanzas."""
        data = self.rest + data
        if not self.accepted.done():
            data = self.shake_hands(data)
        *stanzas, self.rest = data.split(_END)
        for stanza in stanzas:
            self.received(stanza)

    def shake_hands(self, data: bytes) -> bytes:
        """Answer the opening of the stream, check that the answer is accepted, and return the rest."""
        if match := _STREAM_ID.search(data):
            proof = match[1].decode() + self.server.secret
            digest = hashlib.sha1(proof.encode(), usedforsecurity=False).hexdigest()
            self.transport.write(f"<handshake>{digest}</handshake>".encode())
            return data[match.end() :]
        if match := _ACCEPTED.search(data):
            self.accepted.set_result(None)
            return data[match.end() :]
        return data

    def connection_lost(self, error: Exception | None) -> None:
        """Fail those that wait."""
        why = error or self.rest.decode(errors="replace") or "no reason given"
        self.lost(LinkError(f"the XMPP server closed the connection of {self.domain}: {why!s:.300}"))

    def close(self) -> None:
        """Disconnect if connected."""
        if self.is_open:
            self.transport.close()

    def received(self, stanza: bytes) -> None:
        """Handle a message without its end tag; for subclasses."""
        raise NotImplementedError

    def lost(self, error: LinkError) -> None:
        if not self.accepted.done():
            self.accepted.set_exception(error)


class Responder(Component):
    """Sends every message back with the body that all have."""

    def __init__(self, work: Workload, server: Server) -> None:
        super().__init__(server, ECHOING)
        self.replies = {
            str(number).encode(): _message(
                f"echo-{work.receiver_of(number)}@{self.domain}",
                f"asker-{number}@{ASKING}.{server.platform}",
                work.body,
            )
            for number in work.senders
        }

    def received(self, stanza: bytes) -> None:
        if match := _ASKER.search(stanza):
            self.transport.write(self.replies[match[1]])


class Requester(Component):
    """Sends the next message of a pair after each answer."""

    def __init__(self, work: Workload, server: Server) -> None:
        super().__init__(server, ASKING)
        self.pairs = {
            str(number).encode(): Pair(
                _message(
                    f"asker-{number}@{self.domain}",
                    f"echo-{work.receiver_of(number)}@{ECHOING}.{server.platform}",
                    work.body,
                ),
                work.trips,
            )
            for number in work.senders
        }
        work.times += [pair.times for pair in self.pairs.values()]
        self.unfinished = len(self.pairs)
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def begin(self) -> None:
        for pair in self.pairs.values():
            pair.start = perf_counter_ns()
            self.transport.write(pair.message)

    def received(self, stanza: bytes) -> None:
        """Record the time of an answer, and send the next message."""
        match = _ASKED.search(stanza)
        if match is None or _ERROR in stanza:
            self.lost(LinkError(f"the XMPP server sent an unexpected answer: {stanza!r:.300}"))
            return
        pair = self.pairs[match[1]]
        pair.took(perf_counter_ns() - pair.start)
        pair.started(pair.start)
        pair.left -= 1
        if pair.left:
            pair.start = perf_counter_ns()
            self.transport.write(pair.message)
            return
        self.unfinished -= 1
        if not self.unfinished:
            self.finished.set_result(None)

    def lost(self, error: LinkError) -> None:
        """Fail if answers are still missing."""
        super().lost(error)
        if not self.finished.done():
            self.finished.set_exception(error)
            self.finished.exception()  # perhaps nobody waits any more


class Pair:
    """One sender: its message, and its results."""

    __slots__ = ("left", "message", "start", "started", "times", "took")

    def __init__(self, message: bytes, trips: int) -> None:
        self.message = message
        self.left = trips
        self.times = PairTimes()
        self.started, self.took = self.times.starts.append, self.times.rtts.append
        self.start = 0


def _message(sender: str, receiver: str, body: str) -> bytes:
    return f"<message from='{sender}' to='{receiver}'><body>{body}</body></message>".encode()


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    assert work.job.server is not None
    component = Responder(work, work.job.server)
    try:
        await component.connect()
        yield PreparedRole(component.domain)
    finally:
        component.close()


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    assert work.job.server is not None
    component = Requester(work, work.job.server)

    async def measure() -> None:
        component.begin()
        await component.finished

    try:
        await component.connect()
        yield PreparedRole(measure=measure)
    finally:
        component.close()
