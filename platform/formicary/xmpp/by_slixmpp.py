"""Sessions of slixmpp."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, fromstring

from slixmpp import ClientXMPP
from slixmpp.stanza import Iq, Message, Presence, StreamError

from formicary.errors import LinkError
from formicary.extending import get_logger
from formicary.transport.xmpp.login import UnreachableError, log_in
from formicary.xmpp import stanzas
from formicary.xmpp.session import BACKOFF, CLIENT, Delivery, Session, StanzaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.server import AccountAddress
    from formicary.xmpp.client import AccountClient

get_logger("slixmpp").setLevel(logging.CRITICAL)  # errors report what matters

_KINDS = {"message": Message, "presence": Presence, "iq": Iq}
_KEEPALIVE = 60.0  # seconds between pings, and for the server to answer
_GOODBYE = 2.0  # seconds for the server to close its side


class SlixmppStream(ClientXMPP):  # type: ignore[misc]  # its types may be missing
    """A stream that neither connects by itself nor has a password."""

    def __init__(self, account: AccountAddress) -> None:
        unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # otherwise it reads the system's authorities
        super().__init__(account.jid, "", ssl_context=unused)
        self.register_plugin("xep_0198", {"window": 1 << 32})  # we request confirmations ourselves
        self.init_plugins()

    def register_feature(self, name: str, *arguments: Any, **options: Any) -> None:
        """Register a feature with slixmpp, except those that the login has handled."""
        if name not in {"starttls", "mechanisms"}:
            super().register_feature(name, *arguments, **options)

    def exception(self, exception: Exception) -> None:
        """Report a handler's exception as the loop does for callbacks."""
        context = {"message": "a handler of slixmpp's events failed", "exception": exception}
        asyncio.get_running_loop().call_exception_handler(context)

    def connection_made(self, transport: asyncio.BaseTransport, send_event: bool = True) -> None:  # noqa: FBT001, FBT002 -- slixmpp's
        """Begin the stream; for asyncio."""
        if send_event:
            self.event("connected")
        self.transport = transport
        self.init_parser()
        self.send_raw(self.stream_header)

    def connection_lost(self, exception: BaseException | None) -> None:
        """Drop unwritten data, which the session keeps; for asyncio."""
        while not self.waiting_queue.empty():
            self.waiting_queue.get_nowait()
            self.waiting_queue.task_done()
        super().connection_lost(exception)

    def data_received(self, data: bytes) -> None:
        """Parse data, handling each stanza as soon as it is complete; for asyncio.

        Expat (2.6, and older versions with its security fixes) parses a partial tag again only when twice as
        much has arrived, unless told to.
        """
        if self.parser is not None and hasattr(self.parser, "flush"):
            self.parser.feed(data)
            with contextlib.suppress(SyntaxError):  # raised again below
                self.parser.flush()
            data = b""
        super().data_received(data)


class SlixmppSession(Session):
    """A session of slixmpp's client; arguments as of `Session`."""

    def __init__(self, account: AccountAddress, owner: AccountClient) -> None:
        super().__init__(account, owner)
        self.xmpp = SlixmppStream(account)
        self._tracked: dict[str, Callable[[Delivery], None]] = {}  # by stanza ID, like all below
        self._unwritten: dict[str, Any] = {}  # stanzas not yet written to the connection
        self._answers: dict[str, asyncio.Future[Element]] = {}
        self._running: asyncio.Task[None] | None = None
        self._lost: asyncio.Future[object] | None = None  # set when the connection is lost, with the reason
        self._goodbye: asyncio.Future[None] | None = None
        self._conflict: LinkError | None = None
        self._delay = BACKOFF[0]
        self._confirmations = self.xmpp.plugin["xep_0198"]
        self._is_established = self._is_connected = self._is_stopping = False
        self._is_asking = self._had_session = False
        self.xmpp.add_filter("in", self._taken)
        self.xmpp.add_filter("out_sync", self._leaving)  # after the filter that counts stanzas (XEP-0198)
        for event, handler in (
            ("stream_negotiated", self._negotiated),
            ("session_resumed", self._resumed),
            ("stanza_acked", lambda stanza: self._tell(stanza["id"], Delivery.TAKEN)),
            ("session_end", self._session_ended),
            ("disconnected", self._disconnected),
        ):
            self.xmpp.add_event_handler(event, handler)

    @property
    def is_established(self) -> bool:
        """Whether a session is established."""
        return self._is_established

    @property
    def is_running(self) -> bool:
        """Whether there is a session or an attempt to establish one."""
        return self._running is not None and not self._running.done()

    # -- opening and closing --------------------------------------------------------------------------------

    def start(self) -> None:
        """Log in, and stay logged in."""
        self._running = asyncio.create_task(self._run(), name=f"session of {self._account.jid}")

    def stop(self) -> None:
        """Log out."""
        if self._is_stopping:
            return
        self._is_stopping = True
        if self._lost is not None and not self._lost.done():
            self._goodbye = self.xmpp.disconnect(_GOODBYE)
        elif self._running is not None:
            self._running.cancel()

    async def cut(self) -> None:
        """Wait until all tasks have ended."""
        await asyncio.wait([each for each in (self._running, self._goodbye) if each is not None])

    async def _run(self) -> None:
        filters = asyncio.create_task(self.xmpp.run_filters())
        keeping_alive = asyncio.create_task(self._keep_alive())
        error: LinkError | None = None
        try:
            await self._stay()
        except asyncio.CancelledError:  # by `stop`, before there is a connection
            if not self._is_stopping:
                raise
        except LinkError as failure:
            error = failure
        finally:
            filters.cancel()
            keeping_alive.cancel()
            self._close()
        if error is None:
            self._owner.ended()
        else:
            self._owner.failed(error)

    async def _stay(self) -> None:
        while True:
            try:
                transport = await log_in(self._account)
            except UnreachableError:
                if not self._had_session:
                    raise
            else:
                self._lost = asyncio.get_running_loop().create_future()
                transport.set_protocol(self.xmpp)
                self.xmpp.connection_made(transport)
                reason = await self._lost
                if self._is_stopping:
                    return
                if self._conflict is not None:
                    raise self._conflict
                if not self._had_session:
                    raise UnreachableError(f"{self._account} closed the connection: {reason or 'it hung up'}")
                self._owner.interrupted(reason)
            await asyncio.sleep(self._delay)
            self._delay = min(self._delay * BACKOFF[1], BACKOFF[2])

    async def _keep_alive(self) -> None:
        """Cut a connection on which the server no longer answers (XEP-0199)."""
        while True:
            await asyncio.sleep(_KEEPALIVE)
            if not self._is_connected:
                continue
            try:
                async with asyncio.timeout(_KEEPALIVE):
                    await self.ask(stanzas.ping(self._account.domain))
            except TimeoutError:
                self.xmpp.abort()
            except LinkError:
                pass

    def _negotiated(self, _: object) -> None:
        if not self.xmpp.bound:
            return
        if self._is_established:  # the server no longer resumes sessions
            self.xmpp.event("session_end")
        # A session that the server does not keep ends with the connection.
        self.xmpp.end_session_on_disconnect = self._confirmations.sm_id is None
        self._is_established = self._had_session = True
        self._resumed()
        self._owner.opened()

    def _resumed(self, _: object = None) -> None:
        self._is_connected = True
        self._delay = BACKOFF[0]
        for stanza in self._unwritten.values():
            self.xmpp.send(stanza)

    def _session_ended(self, _: object) -> None:
        """Called also when the server no longer knows a session that was to be resumed."""
        if self._is_established:
            self._close()
            self._owner.closed()

    def _close(self) -> None:
        self._is_established = self._is_connected = False
        for number in [number for number in self._unwritten if number not in self._tracked]:
            del self._unwritten[number]
        for number in [number for number in self._tracked if number not in self._unwritten]:
            self._tell(number, Delivery.TAKEN if self._is_stopping else Delivery.LOST)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(LinkError(f"{self._account} closed the connection before answering"))

    def _disconnected(self, reason: object) -> None:
        self._is_connected = False
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(reason)

    # -- sending --------------------------------------------------------------------------------------------

    def send(self, stanza: str, changed: Callable[[Delivery], None] | None = None) -> None:
        """Send a message or a presence; errors as of `Session.send`."""
        if not self._is_established:
            raise self._no_session()
        self._write(fromstring(_with_namespace(stanza)), changed)  # noqa: S314 -- it is our own

    def _write(self, element: Element, changed: Callable[[Delivery], None] | None = None) -> None:
        number = element.get("id", "")
        if changed is not None:
            self._tracked[number] = changed
        kind = _KINDS[element.tag.removeprefix(f"{{{CLIENT}}}")]
        self._unwritten[number] = stanza = kind(self.xmpp, xml=element)
        if self._is_connected:
            self.xmpp.send(stanza)

    def _leaving(self, stanza: Any) -> Any:
        """Record the stanza that slixmpp writes next."""
        number = stanza.xml.get("id", "")
        if self._unwritten.pop(number, None) is None:
            return stanza
        if not self._confirmations.enabled_out:
            self._tell(number, Delivery.TAKEN)
            return stanza
        self._tell(number, Delivery.SENT)
        if not self._is_asking:
            self._is_asking = True
            asyncio.get_running_loop().call_soon(self._ask_for_confirmation)
        return stanza

    def _ask_for_confirmation(self) -> None:
        """Ask the server to confirm written stanzas; slixmpp would ask before writing them."""
        self._is_asking = False
        if self._is_connected:
            self._confirmations.request_ack()

    def _tell(self, number: str, delivery: Delivery) -> None:
        if (changed := self._tracked.get(number)) is not None:
            if delivery is not Delivery.SENT:
                del self._tracked[number]
            changed(delivery)

    async def ask(self, request: str) -> Element | None:
        """Send a request and return the answer; errors as of `Session.ask`."""
        if not self._is_established:
            raise self._no_session()
        element = fromstring(_with_namespace(request))  # noqa: S314 -- it is our own
        number = element.get("id", "")
        self._answers[number] = asyncio.get_running_loop().create_future()
        try:
            self._write(element)
            answer = await self._answers[number]
        finally:
            del self._answers[number]
            self._unwritten.pop(number, None)
        if answer.get("type") == "error":
            raise StanzaError(stanzas.error_text(answer))
        return next(iter(answer), None)

    # -- receiving ------------------------------------------------------------------------------------------

    def _taken(self, stanza: Any) -> Any:
        """Handle a stanza; return it if it is for slixmpp, otherwise None."""
        if isinstance(stanza, Message | Presence):
            self._owner.take(stanza.xml)
        elif isinstance(stanza, StreamError):  # slixmpp would follow the server's redirect anywhere
            if stanza["condition"] == "conflict":
                self._conflict = LinkError(f"{self._account} closed the connection: conflict")
        elif not isinstance(stanza, Iq):
            return stanza
        elif stanza.xml.get("type") in {"get", "set"}:
            self._answer(stanza.xml)
        elif (answer := self._answers.get(stanza["id"])) is None:
            return stanza
        elif not answer.done():
            answer.set_result(stanza.xml)
        return None

    def _answer(self, request: Element) -> None:
        kind, number, sender = (request.get(name, "") for name in ("type", "id", "from"))
        payload = next(iter(request), None)
        answer = None if payload is None else self._owner.answer(kind, payload, sender)
        self._write(fromstring(_with_namespace(stanzas.reply(number, sender, answer))))  # noqa: S314


def _with_namespace(stanza: str) -> str:
    name, _, rest = stanza.partition(" ")
    return f"{name} xmlns='{CLIENT}' {rest}"
