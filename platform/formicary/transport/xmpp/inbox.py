"""Stanzas from an XMPP server other than frames: plain messages, queries, and errors."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from formicary.core.errors import FormicaryError
from formicary.core.logs import get_logger
from formicary.transport.link.frames import NAMESPACE
from formicary.transport.xmpp.stanzas import (
    error_condition,
    error_reply,
    error_text,
    from_stanza,
    kind_of,
    ping_reply,
    presence_refusal,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from formicary.container.container import Container
    from formicary.transport.link.outbox import Letter
    from formicary.transport.xmpp.connection import XmppConnection

logger = get_logger("formicary.transport")

_FRAME = f"{{{NAMESPACE}}}frame"
_NO_SERVER = "remote-server-not-found"  # it may only be restarting
_KEPT = 1024  # stanzas
_KEPT_BYTES = 1 << 23  # of all kept stanzas
_PING = "{urn:xmpp:ping}ping"


class Sent:
    """The messages of the latest stanzas, by the stanzas' ids, as the server may return one."""

    def __init__(self) -> None:
        self._stanzas: OrderedDict[str, tuple[str, list[Letter], int]] = OrderedDict()  # to, letters, bytes
        self._bytes = 0
        self._number = 0

    @property
    def next_id(self) -> str:
        """The id of the next stanza."""
        return f"f{self._number + 1}"

    def add(self, to: str, letters: list[Letter], size: int) -> str:
        """Keep the messages of a stanza of `size` bytes to `to` for a while; return its id."""
        stanza_id = self.next_id
        self._number += 1
        self._stanzas[stanza_id] = (to, letters, size)
        self._bytes += size
        while len(self._stanzas) > _KEPT or (self._bytes > _KEPT_BYTES and len(self._stanzas) > 1):
            self._bytes -= self._stanzas.popitem(last=False)[1][2]
        return stanza_id

    def take(self, stanza_id: str, origin: str) -> list[Letter]:
        """Remove and return the messages that went to `origin` in a stanza, if any."""
        to, letters, size = self._stanzas.get(stanza_id, ("", [], 0))
        if origin.partition("/")[0] != to.partition("/")[0]:  # anybody could guess an id
            return []
        if letters:
            del self._stanzas[stanza_id]
            self._bytes -= size
        return letters


class Inbox:
    """Handles the stanzas that come in over a connection, and keeps the latest plain messages."""

    def __init__(self, connection: XmppConnection, container: Container) -> None:
        self._connection = connection
        self._container = container
        self._overflow = container.dispatcher.overflow
        self.sent = Sent()
        self.answering = ""  # the id of the plain stanza being delivered

    def receive(self, stanza: Element) -> None:
        """Handle a stanza; if it is invalid, count, log and drop it."""
        try:
            match kind_of(stanza):
                case "message":
                    self._receive_message(stanza)
                case "iq":
                    self._receive_query(stanza)
                case "presence" if stanza.get("type") == "subscribe":
                    self._connection.write(presence_refusal(stanza.get("to", ""), stanza.get("from", "")))
        except (FormicaryError, ValueError) as error:
            self._connection.drop(stanza.get("from", ""), str(error))
        except Exception:
            logger.exception(
                "container %s: a stanza could not be handled; please report this", self._container.name
            )

    def _receive_message(self, stanza: Element) -> None:
        if stanza.get("type") == "error":
            self._bounce(stanza)
        elif len(stanza) and stanza[0].tag == _FRAME:
            self._connection.on_frame(stanza.get("from", ""), (stanza[0].text or "").encode())
        else:
            self._receive_plain(stanza)

    def _receive_plain(self, stanza: Element) -> None:
        sender, receiver = stanza.get("from", ""), stanza.get("to", "").partition("/")[0]
        stanza_id = stanza.get("id", "")
        if "@" not in receiver:
            self._answer(stanza, "service-unavailable", "this is a container; send to one of its agents")
            return
        try:
            message = from_stanza(stanza, sender, receiver)
        except FormicaryError as error:
            self._answer(stanza, "bad-request", str(error))
            raise
        if message is None:
            return
        if not self._overflow.takes_from_outside(receiver):
            reason = f"{receiver} has no room, and too many messages are already waiting for it"
            self._answer(stanza, "resource-constraint", reason)
            self._container.dispatcher.add_dead_letter(message, reason, receiver, tell_sender=False)
            return
        self.answering = stanza_id
        try:
            self._overflow.deliver(message, receiver)
        finally:
            self.answering = ""

    def _answer(self, stanza: Element, condition: str, text: str) -> None:
        """Answer a stanza with an error."""
        stanza_id, sender, receiver = (stanza.get(key, "") for key in ("id", "from", "to"))
        self._connection.write(
            error_reply(kind_of(stanza), stanza_id, receiver, sender, condition=condition, text=text)
        )

    def _receive_query(self, stanza: Element) -> None:
        if stanza.get("type") not in {"get", "set"}:
            return
        stanza_id, sender, receiver = (stanza.get(key, "") for key in ("id", "from", "to"))
        if len(stanza) and stanza[0].tag == _PING:
            self._connection.write(ping_reply(stanza_id, receiver, sender))
        else:
            self._answer(stanza, "service-unavailable", "agents answer messages only")

    def _bounce(self, stanza: Element) -> None:
        """Fail what the server, or an address behind it, returns."""
        origin = stanza.get("from", "")
        letters = self.sent.take(stanza.get("id", ""), origin)
        why = error_text(stanza)
        for message, receiver in letters:
            self._container.dispatcher.add_dead_letter(
                message, f"{origin} cannot be reached: {why}", receiver
            )
        if not letters and not self._connection.on_bounce(
            origin, why, is_away=error_condition(stanza) != _NO_SERVER
        ):
            self._connection.drop(origin, f"an error for an unknown stanza: {why}")
