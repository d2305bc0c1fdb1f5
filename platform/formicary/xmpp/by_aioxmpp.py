"""Sessions of aioxmpp."""

from __future__ import annotations

import asyncio
import io
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, fromstring

import aioxmpp
import aioxmpp.disco.xso
import aioxmpp.forms  # so that messages keep their data forms
import aioxmpp.ping.xso
import aioxmpp.roster.xso
import OpenSSL.SSL
from aioxmpp import protocol
from aioxmpp.security_layer import SecurityLayer
from aioxmpp.stream import StanzaState

from formicary.errors import LinkError
from formicary.extending import get_logger
from formicary.transport.xmpp.login import UnreachableError, log_in
from formicary.xmpp.session import BACKOFF, Delivery, Session, StanzaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.server import AccountAddress
    from formicary.xmpp.client import AccountClient

_silent = get_logger("formicary.aioxmpp")  # errors report what matters
_silent.setLevel(logging.CRITICAL)

_FEATURES_TIMEOUT = 10.0  # seconds for the server to announce its features
_KINDS = {"message": aioxmpp.Message, "presence": aioxmpp.Presence}
_REQUESTS = (
    (aioxmpp.IQType.GET, aioxmpp.disco.xso.InfoQuery),
    (aioxmpp.IQType.SET, aioxmpp.roster.xso.Query),
)
_LOST = {StanzaState.ABORTED, StanzaState.DROPPED, StanzaState.DISCONNECTED, StanzaState.FAILED}


class AioxmppSession(Session):
    """A session of aioxmpp's client; arguments as of `Session`."""

    def __init__(self, account: AccountAddress, owner: AccountClient) -> None:
        super().__init__(account, owner)
        self._connector = _Connector(account)
        self._is_stopping = False
        self.xmpp = client = aioxmpp.Client(
            aioxmpp.JID.fromstr(account.jid),
            SecurityLayer(None, None, tls_required=True, sasl_providers=[]),  # the connector logs in
            override_peer=[(account.domain, 0, self._connector)],
            max_initial_attempts=1,
            logger=_silent,
        )
        start, client.backoff_factor, longest = BACKOFF
        client.backoff_start, client.backoff_cap = timedelta(seconds=start), timedelta(seconds=longest)
        for signal in (client.stream.on_message_received, client.stream.on_presence_received):
            signal.connect(self._take)
        for kind, payload in _REQUESTS:
            client.stream.register_iq_request_handler(kind, payload, self._answer)
        client.on_stream_established.connect(self._established)
        client.on_stream_suspended.connect(self._suspended)
        client.on_stream_destroyed.connect(self._destroyed)
        client.on_failure.connect(self._failed)
        client.on_stopped.connect(owner.ended)

    @property
    def is_established(self) -> bool:
        """Whether a session is established."""
        return bool(self.xmpp.established)

    @property
    def is_running(self) -> bool:
        """Whether there is a session or an attempt to establish one."""
        return bool(self.xmpp.running)

    def start(self) -> None:
        """Log in, and stay logged in."""
        self.xmpp.start()

    def stop(self) -> None:
        """Log out."""
        self._is_stopping = True
        self.xmpp.stop()

    async def cut(self) -> None:
        """Cut the connection and wait until it is gone: aioxmpp closes its stream without waiting."""
        await self._connector.cut()

    def _established(self) -> None:
        self.xmpp.stream._sm_location = None  # noqa: SLF001 -- only `log_in` knows whom to trust
        if self._is_stopping:
            self.xmpp.stop()  # again: Python 3.11's wait_for() may lose a cancellation
        else:
            self._owner.opened()

    def _suspended(self, reason: Exception | None) -> None:
        self._owner.interrupted(reason)

    def _destroyed(self, _: Exception | None = None) -> None:
        self._owner.closed()

    def _failed(self, error: Exception) -> None:
        if isinstance(error, _TryAgainError):
            assert isinstance(error.__cause__, LinkError)
            error = error.__cause__
        if not isinstance(error, LinkError):
            error = _closed(self._account, error)
        self._owner.failed(error)

    def send(self, stanza: str, changed: Callable[[Delivery], None] | None = None) -> None:
        """Send a message or a presence; errors as of `Session.send`."""
        kind = _KINDS[stanza[1:].partition(" ")[0]]
        options = {} if changed is None else {"on_state_change": self._teller(changed)}
        try:
            self.xmpp.enqueue(_read(stanza, kind), **options)
        except ConnectionError:
            raise self._no_session() from None

    def _teller(self, changed: Callable[[Delivery], None]) -> Callable[[Any, StanzaState], None]:
        was_sent = False

        def tell(_token: Any, state: StanzaState) -> None:
            nonlocal was_sent
            if state is StanzaState.SENT:
                was_sent = True
                changed(Delivery.SENT)
            elif state in _LOST:
                changed(Delivery.LOST)
            elif state is StanzaState.SENT_WITHOUT_SM and was_sent and not self._is_stopping:
                changed(Delivery.LOST)  # the server confirms messages, and the session ended before this one
            elif state in {StanzaState.ACKED, StanzaState.SENT_WITHOUT_SM}:
                changed(Delivery.TAKEN)

        return tell

    async def ask(self, request: str) -> Element | None:
        """Send a request and return the answer; errors as of `Session.ask`."""
        try:
            answer = await self.xmpp.send(_read(request, aioxmpp.IQ))
        except aioxmpp.errors.XMPPError as error:
            condition = str(error.condition.value[1])
            raise StanzaError(f"{error.text} ({condition})" if error.text else condition) from None
        except OSError as error:
            raise LinkError(f"{self._account} closed the connection before answering: {error}") from None
        return None if answer is None else _element(answer)

    def _take(self, stanza: Any) -> None:
        self._owner.take(_element(stanza))

    def _answer(self, request: Any) -> asyncio.Future[Any]:
        """Answer at once, so that a change of the contact list is applied before later stanzas."""
        sender = "" if request.from_ is None else str(request.from_)
        answer = self._owner.answer(request.type_.value, _element(request.payload), sender)
        if answer is None:
            raise aioxmpp.errors.XMPPCancelError(aioxmpp.ErrorCondition.SERVICE_UNAVAILABLE)
        answered = asyncio.get_running_loop().create_future()
        answered.set_result(_read(answer, type(request.payload)) if answer else None)
        return answered


class _TryAgainError(OpenSSL.SSL.Error):  # type: ignore[misc]  # its types may be missing
    """An error that makes aioxmpp's client retry, but not at another address."""


class _Stream(protocol.XMLStream):  # type: ignore[misc]  # it has no types
    """A stream that reports a connection's sudden end as an error, so that aioxmpp's client reacts."""

    def eof_received(self) -> None:
        if self.state is protocol.State.OPEN:
            self._fail(ConnectionResetError("the server closed it"))
        super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.state is protocol.State.OPEN:
            exc = exc or ConnectionResetError("the server closed it")
        super().connection_lost(exc)


class _Connector:
    """Provides aioxmpp's client with logged-in connections."""

    def __init__(self, account: AccountAddress) -> None:
        self._account = account
        self._transport: asyncio.Transport | None = None
        self._stream: _Stream | None = None

    async def connect(self, *_: Any, **__: Any) -> tuple[asyncio.Transport, Any, Any]:
        """Connect to the account's server, ignoring the client's arguments.

        Returns:
            The connection, aioxmpp's stream on it, and the server's announced features.
        """
        try:
            self._transport = transport = await log_in(self._account)
        except UnreachableError as error:
            raise _TryAgainError from error
        self._stream = stream = _Stream(to=self._account.domain)
        features = stream.features_future()
        transport.set_protocol(stream)
        stream.connection_made(transport)
        try:
            async with asyncio.timeout(_FEATURES_TIMEOUT):
                return transport, stream, await features
        except OSError as error:
            raise _TryAgainError from _closed(self._account, error)

    async def cut(self) -> None:
        """Cut the latest connection, and wait until its stream has ended."""
        if self._transport is not None and self._stream is not None:
            self._transport.abort()
            await asyncio.wait([self._stream._closing_future])  # noqa: SLF001 -- the task that it runs


def _closed(account: AccountAddress, error: Exception) -> LinkError:
    return UnreachableError(f"{account} closed the connection: {error}")


def _read(text: str, kind: Any) -> Any:
    """Return aioxmpp's object for a stanza, or part of one."""
    name, _, rest = text.partition(" ")
    if issubclass(kind, aioxmpp.stanza.StanzaBase):
        text = f"{name} xmlns='jabber:client' {rest}"
    return aioxmpp.xml.read_single_xso(io.BytesIO(text.encode()), kind)


def _element(written: Any) -> Element:
    return fromstring(aioxmpp.xml.serialize_single_xso(written))  # noqa: S314 -- aioxmpp has written it
