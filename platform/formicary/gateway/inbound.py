"""Incoming messages: other platforms send them by HTTP (FIPA00084), and learn what is refused."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from formicary.errors import FormicaryError, LinkError
from formicary.extending import MANAGEMENT, now, sentence, shorten
from formicary.gateway.acl_reader import read_acl
from formicary.gateway.envelope import STRING_FORM, read_envelope, read_parts
from formicary.gateway.foreign_names import platform_of
from formicary.gateway.peers import AllowedHosts, host_in, is_local
from formicary.http import ASKING, HttpServer, listen

if TYPE_CHECKING:
    from formicary import Container
    from formicary.gateway.acl_message import AclMessage, AgentIdentifier
    from formicary.gateway.envelope import Envelope
    from formicary.gateway.peers import Peers
    from formicary.gateway.translation import Translator
    from formicary.http import Connection

PATH = "/acc"
"""The path that accepts messages, as in JADE."""

_CLOSED = frozenset({MANAGEMENT, "df", "formicary-groups"})  # agents that serve only the platform
_ENVELOPE = 1 << 16  # bytes of an envelope
_OVERHEAD = 1 << 17  # bytes of a body in addition to the message
_KEPT = 75.0  # s that a connection stays open without a request
_FROM_PAGES = frozenset({"Origin", "Sec-Fetch-Site"})  # headers that browsers add
_BROKEN = (asyncio.IncompleteReadError, ConnectionError, HttpProcessingError, web.RequestPayloadError)


class HttpError(Exception):
    """A message is refused."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Inbound:
    """Accepts messages from other platforms for the agents here."""

    def __init__(
        self, container: Container, translator: Translator, peers: Peers, limit: int, connections: int
    ) -> None:
        self._container = container
        self._dispatcher = container.dispatcher
        self._translator = translator
        self._peers = peers
        self._limit = limit
        self._allowed_hosts = AllowedHosts()
        self._is_local = True
        name = f"the gateway of container {container.name}"
        self._server = HttpServer(name, self._answer, connections=connections, kept=_KEPT)
        self.received = 0
        """How many messages were accepted."""

    @property
    def refused(self) -> int:
        """How many requests were refused."""
        return self._server.refused

    def open(self, host: str, port: int) -> int:
        """Listen, and return the port.

        Args:
            host: an IP address of this host.
            port: 0 for any free one.

        Raises:
            LinkError: the port is in use, or the address is not of this host.
        """
        self._is_local = is_local(host)
        try:
            listening = listen(host, port)
        except OSError as error:
            raise LinkError(
                f"the gateway cannot listen at {host}:{port} ({error.strerror or error}): choose "
                "another port, or an address of this host"
            ) from None
        self._server.open(listening)
        return int(listening.getsockname()[1])

    async def close(self) -> None:
        """Stop listening; requests in progress get a moment."""
        await self._server.close()

    # -- requests -------------------------------------------------------------------------------------------

    async def _answer(self, request: web.BaseRequest, connection: Connection) -> web.StreamResponse:
        try:
            await self._take(request, connection)
        except HttpError as error:
            why = sentence(str(error))
            self._server.refuse(f"{error.status}, from {request.remote}: {why}")
            # JADE does not read an answer's body, and expects the next answer at the start of a line.
            return web.Response(status=error.status, text=f"{why}\r\n")
        except _BROKEN as error:
            self._server.refuse(f"a broken request from {request.remote}: {sentence(str(error))}")
            return web.Response(status=400)
        self.received += 1
        return web.Response()

    async def _take(self, request: web.BaseRequest, connection: Connection) -> None:
        self._check_caller(request)
        if request.path != PATH:
            raise HttpError(404, f"messages are accepted at {PATH}")
        if request.method != "POST":
            raise HttpError(405, "messages must be sent by POST")
        if self._dispatcher.is_closing or self._dispatcher.overflow.is_full:
            raise HttpError(503, f"container {self._container.name} is not accepting messages now")
        body = await self._read(request)
        connection.answer()
        try:
            part, payload = read_parts(request.headers.get("Content-Type", ""), body)
            if len(part) > _ENVELOPE:
                raise HttpError(413, f"the envelope has more than {_ENVELOPE} bytes")
            if len(payload) > self._limit:
                raise HttpError(413, f"the message has more than {self._limit} bytes")
            envelope = read_envelope(part)
            self._check(envelope, payload)
            acl = read_acl(payload, envelope.character_set, now())
        except ValueError as error:  # from parts, envelope or message
            raise HttpError(400, str(error)) from None
        sender = self._sender(acl, envelope)
        peer = self._peers.peer_of(platform_of(sender.name))
        if peer is not None and not await self._allowed_hosts.may_send(peer, request.remote):
            raise HttpError(403, f"{peer.name} is expected at another address")
        await self._deliver(acl, sender, envelope)

    def _check_caller(self, request: web.BaseRequest) -> None:
        """Refuse web pages; on loopback also foreign names (DNS rebinding)."""
        if not _FROM_PAGES.isdisjoint(request.headers):
            raise HttpError(403, "web pages may not send to a gateway")
        host = request.headers.get("Host")
        if self._is_local and host is not None and not is_local(host_in(f"//{host}")):
            ours = self._translator.address
            if host_in(f"//{host}") != host_in(ours):
                raise HttpError(
                    403,
                    f"this gateway is not called {shorten(host)}: send to {ours}, or set --address "
                    "(`address=`) to the address that others use",
                )

    async def _read(self, request: web.BaseRequest) -> bytes:
        most = self._limit + _OVERHEAD
        if (request.content_length or 0) > most:
            raise HttpError(413, f"the body has more than {most} bytes")
        body = bytearray()
        try:
            async with asyncio.timeout(ASKING):
                async for chunk in request.content.iter_any():
                    body += chunk
                    if len(body) > most:
                        raise HttpError(413, f"the body has more than {most} bytes")
        except TimeoutError:
            raise HttpError(408, f"the body did not arrive within {ASKING:g} s") from None
        return bytes(body)

    def _check(self, envelope: Envelope, payload: bytes) -> None:
        if envelope.representation.lower() != STRING_FORM:
            raise HttpError(415, f"messages must be {STRING_FORM}, not {envelope.representation}")
        if envelope.payload_length not in {None, len(payload)}:
            raise HttpError(
                400, f"the message has {len(payload)} bytes, but its envelope says {envelope.payload_length}"
            )

    def _sender(self, acl: AclMessage, envelope: Envelope) -> AgentIdentifier:
        """Return a message's sender, if outsiders may use that name."""
        sender = acl.sender or envelope.sender
        if sender is None:
            raise HttpError(400, "the message has no sender")
        if not sender.addresses and envelope.sender is not None and envelope.sender.name == sender.name:
            sender = envelope.sender
        platform = platform_of(sender.name)
        if self._translator.is_ours(platform):
            raise HttpError(
                403, f"{sender.name} is the name of an agent of this platform, not of another one"
            )
        if not self._peers.accepts(platform):
            raise HttpError(403, f"messages from the platform {platform} are not accepted")
        return sender

    # -- delivering -----------------------------------------------------------------------------------------

    async def _deliver(self, acl: AclMessage, sender: AgentIdentifier, envelope: Envelope) -> None:
        """Deliver a message to all its receivers, or to none; report later failures to the sender."""
        ours = [each for each in envelope.to if self._translator.is_ours(platform_of(each.name))]
        messages = []
        for identifier in envelope.intended_receivers or ours or envelope.to:
            try:
                receiver = self._receiver(identifier)
                messages.append((self._translator.incoming(acl, sender, receiver), receiver))
            except FormicaryError as error:
                raise HttpError(400, str(error)) from None
        for identifier in (sender, *acl.reply_to):
            if not self._translator.is_ours(platform_of(identifier.name)):
                self._peers.learn(identifier)
        for number, (message, receiver) in enumerate(messages):
            try:
                full = self._dispatcher.dispatch_to(message, receiver)
            except FormicaryError as error:
                if number == 0:
                    raise HttpError(503, str(error)) from None
                self._dispatcher.tell_sender(message, receiver, str(error))
            else:
                if full:
                    await self._wait(message, list(full))

    def _receiver(self, identifier: AgentIdentifier) -> str:
        """Return a receiver's full name, if it can be here."""
        platform = platform_of(identifier.name)
        if not self._translator.is_ours(platform):
            raise HttpError(404, f"{identifier.name} is not an agent of this platform")
        receiver = self._translator.address_of(identifier.name)
        local, _, domain = receiver.partition("@")
        if local in _CLOSED:
            raise HttpError(403, f"{receiver} accepts no messages from other platforms")
        if domain == self._container.domain:
            if not self._dispatcher.has(receiver):
                raise HttpError(404, self._dispatcher.why_unknown(receiver))
        elif self._dispatcher.transport is None or domain == self._container.platform:
            raise HttpError(404, self._dispatcher.why_unknown(receiver))
        return receiver

    async def _wait(self, message: Any, waiting: list[Any]) -> None:
        """Wait until mailboxes have room; send a failure for each that has none in time."""
        overflow = self._dispatcher.overflow
        with suppress(TimeoutError, FormicaryError):
            async with asyncio.timeout(overflow.send_timeout):
                await overflow.wait_for_room(message, waiting)
        for sink in waiting:
            reason = f"{sink} had no room for {overflow.send_timeout:g} s"
            self._dispatcher.add_dead_letter(message, reason, sink.address)
