"""The way in: other platforms bring messages by HTTP (FIPA00084), and are told what cannot be taken."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aiohttp import web

from formicary.core.clock import now
from formicary.core.errors import FormicaryError, LinkError
from formicary.core.logs import get_logger
from formicary.core.names import MANAGEMENT
from formicary.core.quoting import sentence
from formicary.directory.central.client import AGENT
from formicary.gateway.acl_reader import read_acl
from formicary.gateway.envelope import STRING_FORM, read_envelope
from formicary.gateway.foreign_names import platform_of
from formicary.gateway.multipart import read_parts
from formicary.gateway.origins import Origins
from formicary.groups.mailing import DISTRIBUTOR

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.gateway.acl_message import AclMessage, AgentIdentifier
    from formicary.gateway.envelope import Envelope
    from formicary.gateway.peers import Peers
    from formicary.gateway.translation import Translator

logger = get_logger("formicary.gateway")
_silent = get_logger("formicary.gateway.http")  # it would say a page about each request that is none
_silent.setLevel(logging.CRITICAL)

PATH = "/acc"
"""Where messages are taken, as at JADE."""

_CLOSED = frozenset({MANAGEMENT, AGENT, DISTRIBUTOR})  # only agents of the platform may ask them
_ENVELOPE = 1 << 16  # bytes of one
_OVERHEAD = 1 << 17  # bytes of a body beside the message
_PATIENCE = 10.0  # s that a connection gets for its first request, and a request for its body
_KEPT = 75.0  # s that a connection stays open without a request
_CLOSE = 1.0  # s that requests get when the gateway closes
_TURNS = 5  # of the loop, in which a connection that is accepted comes to be, or its task to its end
_LOGGED = 10  # refusals that are logged one by one


class RefusedError(Exception):
    """A message is not taken.

    Args:
        status: that of HTTP.
        why: as a sentence.
    """

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Inbound:
    """Takes messages of other platforms for the agents here.

    Args:
        container: where they go.
        translator: knows who is who.
        peers: what is known of other platforms.
        limit: bytes that a message may have.
        connections: how many there may be at once.
    """

    def __init__(
        self, container: Container, translator: Translator, peers: Peers, limit: int, connections: int
    ) -> None:
        self._container = container
        self._dispatcher = container.dispatcher
        self._translator = translator
        self._peers = peers
        self._limit = limit
        self._most = connections
        self._origins = Origins()
        self._web = web.Server(
            self._answer, keepalive_timeout=_KEPT, lingering_time=1.0, access_log=None, logger=_silent
        )
        self._heard: set[Any] = set()  # transports of connections that have sent a request
        self._tasks: set[asyncio.Task[Any]] = set()  # those that answer them
        self._server: asyncio.Server | None = None
        self._is_closed = False
        self.received = 0
        """How many messages were taken."""
        self.refused = 0
        """How many requests were refused."""

    async def open(self, host: str, port: int) -> int:
        """Listen, and return at which port.

        Args:
            host: an IP address of this host.
            port: 0 for any.

        Raises:
            LinkError: it is taken, or not of this host.
        """
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._connected, host, port)
        except OSError as error:
            raise LinkError(
                f"the gateway cannot listen at {host}:{port} ({error.strerror or error}): take another port, "
                "or an address of this host"
            ) from None
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Take no more; requests that are being answered get a moment."""
        self._is_closed = True
        if self._server is not None:
            self._server.close()
        await self._web.shutdown(timeout=_CLOSE)
        # Connections that were being accepted meanwhile, and the tasks of those that have sent no request.
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        await self._web.shutdown(timeout=_CLOSE)
        if self._server is not None:
            await self._server.wait_closed()
        if self._tasks:  # they are cancelled, and nobody else waits for their end
            await asyncio.wait(self._tasks, timeout=_CLOSE)

    # -- connections ----------------------------------------------------------------------------------------

    def _connected(self) -> asyncio.BaseProtocol:
        if self._is_closed:
            return _Busy()
        if len(self._web.connections) >= self._most:
            self._count(f"there are {self._most} connections already")
            return _Busy()
        connection = self._web()
        asyncio.get_running_loop().call_later(_PATIENCE, self._end_silent, connection)
        return connection

    def _end_silent(self, connection: Any) -> None:
        """Close a connection that has sent no request in its time."""
        if connection.transport is not None and connection.transport not in self._heard:
            connection.transport.abort()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self._heard = {each for each in self._heard if not each.is_closing()} | {request.transport}
        if request.task not in self._tasks:
            self._tasks.add(request.task)
            request.task.add_done_callback(self._tasks.discard)
        try:
            await self._take(request)
        except RefusedError as error:
            why = sentence(str(error))
            self._count(f"{error.status}, from {request.remote}: {why}")
            # JADE reads no answer's body, and looks for the next answer at the beginning of a line.
            return web.Response(status=error.status, text=f"{why}\r\n")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            self._count(f"a broken request from {request.remote}: {error}")
            return web.Response(status=400)
        self.received += 1
        return web.Response()

    def _count(self, what: str) -> None:
        self.refused += 1
        if self.refused <= _LOGGED or self.refused % 1000 == 0:
            logger.warning("the gateway of container %s has refused %s", self._container.name, what)

    # -- requests -------------------------------------------------------------------------------------------

    async def _take(self, request: web.BaseRequest) -> None:
        if request.path != PATH:
            raise RefusedError(404, f"messages are taken at {PATH}")
        if request.method != "POST":
            raise RefusedError(405, "a message is brought by POST")
        if self._dispatcher.is_closing or self._dispatcher.overflow.is_full:
            raise RefusedError(503, f"container {self._container.name} takes no messages now")
        body = await self._read(request)
        try:
            part, payload = read_parts(request.headers.get("Content-Type", ""), body)
            if len(part) > _ENVELOPE:
                raise RefusedError(413, f"the envelope has more than {_ENVELOPE} bytes")
            if len(payload) > self._limit:
                raise RefusedError(413, f"the message has more than {self._limit} bytes")
            envelope = read_envelope(part)
            self._check(envelope, payload)
            acl = read_acl(payload, envelope.character_set, now())
        except ValueError as error:  # of its parts, the envelope, or the message
            raise RefusedError(400, str(error)) from None
        sender = self._sender(acl, envelope)
        peer = self._peers.peer_of(platform_of(sender.name))
        if peer is not None and not await self._origins.may_send(peer, request.remote):
            raise RefusedError(403, f"{peer.name} is elsewhere, by what is known of it here")
        await self._deliver(acl, sender, envelope)

    async def _read(self, request: web.BaseRequest) -> bytes:
        most = self._limit + _OVERHEAD
        if (request.content_length or 0) > most:
            raise RefusedError(413, f"the body has more than {most} bytes")
        body = bytearray()
        try:
            async with asyncio.timeout(_PATIENCE):
                async for chunk in request.content.iter_any():
                    body += chunk
                    if len(body) > most:
                        raise RefusedError(413, f"the body has more than {most} bytes")
        except TimeoutError:
            raise RefusedError(408, f"the body has not come within {_PATIENCE:g} s") from None
        return bytes(body)

    def _check(self, envelope: Envelope, payload: bytes) -> None:
        if envelope.representation.lower() != STRING_FORM:
            raise RefusedError(415, f"messages are taken as {STRING_FORM}, not {envelope.representation}")
        if envelope.payload_length not in {None, len(payload)}:
            raise RefusedError(
                400, f"the message has {len(payload)} bytes, its envelope says {envelope.payload_length}"
            )

    def _sender(self, acl: AclMessage, envelope: Envelope) -> AgentIdentifier:
        """Return who has sent a message, if anybody may send as that."""
        sender = acl.sender or envelope.sender
        if sender is None:
            raise RefusedError(400, "the message has no sender")
        if not sender.addresses and envelope.sender is not None and envelope.sender.name == sender.name:
            sender = envelope.sender
        platform = platform_of(sender.name)
        if self._translator.is_ours(platform):
            raise RefusedError(403, f"{sender.name} is no name of another platform's agent, but one of ours")
        if not self._peers.accepts(platform):
            raise RefusedError(403, f"the platform {platform} is none that messages are taken of")
        return sender

    # -- delivering -----------------------------------------------------------------------------------------

    async def _deliver(self, acl: AclMessage, sender: AgentIdentifier, envelope: Envelope) -> None:
        """Hand a message to all its receivers, or to none; what fails later, its sender is told."""
        ours = [each for each in envelope.to if self._translator.is_ours(platform_of(each.name))]
        messages = []
        for identifier in envelope.intended_receivers or ours or envelope.to:
            try:
                receiver = self._receiver(identifier)
                messages.append((self._translator.incoming(acl, sender, receiver), receiver))
            except FormicaryError as error:
                raise RefusedError(400, str(error)) from None
        for identifier in (sender, *acl.reply_to):
            if not self._translator.is_ours(platform_of(identifier.name)):
                self._peers.learn(identifier)
        for number, (message, receiver) in enumerate(messages):
            try:
                full = self._dispatcher.dispatch_to(message, receiver)
            except FormicaryError as error:
                if number == 0:
                    raise RefusedError(503, str(error)) from None
                self._dispatcher.tell_sender(message, receiver, str(error))
            else:
                if full:
                    await self._wait(message, list(full))

    def _receiver(self, identifier: AgentIdentifier) -> str:
        """Return the full name of a receiver, if there may be one of that name here."""
        platform = platform_of(identifier.name)
        if not self._translator.is_ours(platform):
            raise RefusedError(404, f"{identifier.name} is no agent of this platform")
        receiver = self._translator.address_of(identifier.name)
        local, _, domain = receiver.partition("@")
        if local in _CLOSED:
            raise RefusedError(403, f"{receiver} takes no messages of other platforms")
        if domain == self._container.domain:
            if not self._dispatcher.has(receiver):
                raise RefusedError(404, self._dispatcher.why_unknown(receiver))
        elif self._dispatcher.transport is None or domain == self._container.platform:
            raise RefusedError(404, self._dispatcher.why_unknown(receiver))
        return receiver

    async def _wait(self, message: Any, waiting: list[Any]) -> None:
        """Wait until mailboxes have room; where one has none in time, the sender gets a failure."""
        overflow = self._dispatcher.overflow
        with suppress(TimeoutError, FormicaryError):
            async with asyncio.timeout(overflow.send_timeout):
                await overflow.wait_for_room(message, waiting)
        for sink in waiting:
            reason = f"{sink} had no room for {overflow.send_timeout:g} s"
            self._dispatcher.add_dead_letter(message, reason, sink.address)


class _Busy(asyncio.Protocol):
    """Says that there are too many connections, and ends this one."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        transport.close()
