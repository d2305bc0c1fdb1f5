"""What comes in from an XMPP server: who may send it, what it means, and who gets it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError
from formicary.names import check_container
from formicary.transport.frames import NAMESPACE, Names, decode, from_entry
from formicary.transport.stanzas import error_reply, error_text, from_stanza, ping_reply, presence_refusal
from formicary.transport.stream import COMPONENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from formicary.container import Container
    from formicary.transport.held import Held
    from formicary.transport.sent import Sent

logger = logging.getLogger("formicary.transport")

_ORIGINS = 1000  # containers whose agents' names are remembered
_LOGGED = 10  # dropped stanzas that are logged one by one
_MESSAGE, _IQ, _PRESENCE = (f"{{{COMPONENT}}}{name}" for name in ("message", "iq", "presence"))
_FRAME = f"{{{NAMESPACE}}}frame"
_PING = "{urn:xmpp:ping}ping"


class Inbox:
    """Hands over what comes in.

    Args:
        container: who gets it.
        held: where messages wait for full mailboxes.
        sent: what went out lately.
        write: sends an answer.
    """

    def __init__(self, container: Container, held: Held, sent: Sent, write: Callable[[bytes], None]) -> None:
        self._container = container
        self._names = Names(container.domain)
        self._held = held
        self._sent = sent
        self._write = write
        self._origins: dict[str, Names] = {}
        self.answering = ""  # the id of the plain stanza that is being delivered
        self.dropped = 0

    def receive(self, stanza: Element) -> None:
        """Do what a stanza asks for; what it must not ask for is counted, logged and dropped."""
        try:
            if stanza.tag == _MESSAGE:
                self._receive_message(stanza)
            elif stanza.tag == _IQ:
                self._receive_query(stanza)
            elif stanza.tag == _PRESENCE and stanza.get("type") == "subscribe":
                self._write(presence_refusal(stanza.get("to", ""), stanza.get("from", "")))
        except (FormicaryError, ValueError) as error:
            self._drop(stanza.get("from", ""), str(error))
        except Exception:
            logger.exception(
                "container %s: a stanza could not be handled; please report it", self._container.name
            )

    def _receive_message(self, stanza: Element) -> None:
        if stanza.get("type") == "error":
            self._bounce(stanza)
        elif len(stanza) and stanza[0].tag == _FRAME:
            self.receive_frame(stanza.get("from", ""), (stanza[0].text or "").encode())
        else:
            self._receive_plain(stanza)

    def receive_frame(self, origin: str, text: bytes) -> None:
        """Hand over what a frame holds; the way that nearly all of the traffic takes.

        Args:
            origin: the domain of the container that it came from, as the server vouches for it.
            text: the frame's text.
        """
        try:
            senders = self._senders(origin)
            entries = decode(text)
        except ValueError as error:
            self._drop(origin, str(error))
            return
        held = self._held.lines
        receivers = self._names
        neighbours = self._container.neighbours
        for entry in entries:
            try:
                message, receiver = from_entry(entry, receivers, senders)
                if receiver in held:
                    self._held.add(message, receiver)
                    continue
                deliver = neighbours.get(receiver)
                if full := deliver(message) if deliver else self._container.deliver(message, receiver):
                    self._held.add(message, receiver, full)
            except ValueError as error:
                self._drop(origin, str(error))
            except Exception:
                logger.exception("a message from %s could not be handled; please report it", origin)

    def _senders(self, origin: str) -> Names:
        """Return the names of a container's agents, if `origin` is a container of this platform."""
        names = self._origins.get(origin)
        if names is None:
            name, _, platform = origin.partition(".")
            if platform != self._container.platform:
                raise ValueError(f"{origin} is not a container of this platform, so it may not send frames")
            check_container(name)
            if len(self._origins) >= _ORIGINS:
                self._origins.clear()
            names = self._origins[origin] = Names(origin)
        return names

    def _receive_plain(self, stanza: Element) -> None:
        sender, receiver = stanza.get("from", ""), stanza.get("to", "").partition("/")[0]
        stanza_id = stanza.get("id", "")
        if "@" not in receiver:
            self._answer(stanza, "service-unavailable", "this is a container; write to one of its agents")
            return
        try:
            message = from_stanza(stanza, sender, receiver)
        except FormicaryError as error:
            self._answer(stanza, "bad-request", str(error))
            raise
        if message is None:
            return
        if receiver in self._held.lines:
            self._held.add(message, receiver)
            return
        self.answering = stanza_id
        try:
            if full := self._container.deliver(message, receiver):
                self._held.add(message, receiver, full)
        finally:
            self.answering = ""

    def _answer(self, stanza: Element, condition: str, text: str) -> None:
        """Answer a stanza with an error."""
        kind = stanza.tag.removeprefix(f"{{{COMPONENT}}}")
        stanza_id, sender, receiver = (stanza.get(key, "") for key in ("id", "from", "to"))
        self._write(error_reply(kind, stanza_id, receiver, sender, condition=condition, text=text))

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
        if not letters:
            self._drop(origin, f"an error for an unknown stanza: {error_text(stanza)}")
            return
        reason = f"{origin} cannot be reached: {error_text(stanza)}"
        for message, receiver in letters:
            self._container.bury(message, reason, receiver)

    def _drop(self, origin: str, what: str) -> None:
        self.dropped += 1
        if self.dropped <= _LOGGED or self.dropped % 1000 == 0:
            logger.warning("container %s dropped a stanza from %s: %s", self._container.name, origin, what)
