"""Stanzas from an XMPP server that are no frames: plain messages, queries, and what comes back."""

from __future__ import annotations

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
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.container.container import Container
    from formicary.container.overflow import Overflow
    from formicary.transport.xmpp.sent import Sent

logger = get_logger("formicary.transport")

_FRAME = f"{{{NAMESPACE}}}frame"
_NO_SERVER = "remote-server-not-found"  # which may only be starting again
_PING = "{urn:xmpp:ping}ping"


class Inbox:
    """Hands over what comes in.

    Args:
        container: who gets it.
        overflow: where messages wait for full mailboxes.
        sent: what went out lately.
        write: sends an answer.
        on_frame: called with where a frame came from and its text.
        on_bounce: called, for what is no plain message, with a container's address, why it cannot be reached,
            and whether that is about the container and not about a server on the way; returns whether it
            was any news.
        drop: called with where something came from that must not be sent, and what it is.
    """

    def __init__(
        self,
        container: Container,
        *,
        overflow: Overflow,
        sent: Sent,
        write: Callable[[bytes], None],
        on_frame: Callable[[str, bytes], None],
        on_bounce: Callable[[str, str, bool], bool],
        drop: Callable[[str, str], None],
    ) -> None:
        self._container = container
        self._overflow = overflow
        self._sent = sent
        self._write = write
        self._on_frame = on_frame
        self._on_bounce = on_bounce
        self._drop = drop
        self.answering = ""  # the id of the plain stanza that is being delivered

    def receive(self, stanza: Element) -> None:
        """Do what a stanza asks for; what it must not ask for is counted, logged and dropped."""
        try:
            match kind_of(stanza):
                case "message":
                    self._receive_message(stanza)
                case "iq":
                    self._receive_query(stanza)
                case "presence" if stanza.get("type") == "subscribe":
                    self._write(presence_refusal(stanza.get("to", ""), stanza.get("from", "")))
        except (FormicaryError, ValueError) as error:
            self._drop(stanza.get("from", ""), str(error))
        except Exception:
            logger.exception(
                "container %s: a stanza could not be handled; please report this", self._container.name
            )

    def _receive_message(self, stanza: Element) -> None:
        if stanza.get("type") == "error":
            self._bounce(stanza)
        elif len(stanza) and stanza[0].tag == _FRAME:
            self._on_frame(stanza.get("from", ""), (stanza[0].text or "").encode())
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
        self._write(error_reply(kind_of(stanza), stanza_id, receiver, sender, condition=condition, text=text))

    def _receive_query(self, stanza: Element) -> None:
        if stanza.get("type") not in {"get", "set"}:
            return
        stanza_id, sender, receiver = (stanza.get(key, "") for key in ("id", "from", "to"))
        if len(stanza) and stanza[0].tag == _PING:
            self._write(ping_reply(stanza_id, receiver, sender))
        else:
            self._answer(stanza, "service-unavailable", "agents answer messages only")

    def _bounce(self, stanza: Element) -> None:
        """Bury what the server, or an address behind it, sends back."""
        origin = stanza.get("from", "")
        letters = self._sent.take(stanza.get("id", ""), origin)
        why = error_text(stanza)
        for message, receiver in letters:
            self._container.dispatcher.add_dead_letter(
                message, f"{origin} cannot be reached: {why}", receiver
            )
        if not letters and not self._on_bounce(origin, why, error_condition(stanza) != _NO_SERVER):
            self._drop(origin, f"an error for an unknown stanza: {why}")
