"""A container's connection as one resource of an ordinary XMPP account (RFC 6120)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.errors import LinkError, NameTakenError
from formicary.transport.xmpp.addressing import FRAME_TYPE
from formicary.transport.xmpp.stanzas import error_text
from formicary.transport.xmpp.stream import COMPONENT, STREAMS, ClientStream

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


_BIND = "urn:ietf:params:xml:ns:xmpp-bind"


class AccountStream(ClientStream):
    """A connection with the address `account/name`, for the container of that name.

    `login` finds the server, encrypts and authenticates; then XMPP begins a new stream, which is this one. It
    binds the resource (RFC 6120, section 7) and sends no presence, so that it gets only what is addressed to
    the full address.
    """

    _frame_type = FRAME_TYPE.encode()

    async def _reach(self) -> None:
        from formicary.transport.xmpp.login import log_in

        transport = await log_in(self._server)
        transport.set_protocol(self)
        self.connection_made(transport)

    def _negotiate(self, element: Element) -> None:
        if element.tag == f"{{{STREAMS}}}features":
            bind = f"<bind xmlns='{_BIND}'><resource>{self._name}</resource></bind>"
            self._transport.write(f"<iq type='set' id='bind'>{bind}</iq>".encode())
        elif element.tag == f"{{{COMPONENT}}}iq" and element.get("id") == "bind":
            self._bound(element)

    def _bound(self, answer: Element) -> None:
        wanted = f"{self._server.jid}/{self._name}"
        bound = answer.findtext(f"{{{_BIND}}}bind/{{{_BIND}}}jid")
        if bound == wanted:
            self._accept()
        elif bound or answer.find(".//{*}conflict") is not None:
            self._fail(self._taken())
        else:
            self._fail(LinkError(f"{self._server} refused {wanted}: {error_text(answer)}"))

    def _refusal(self, condition: str) -> LinkError | NameTakenError | None:
        return self._taken() if condition == "conflict" else None

    def _taken(self) -> NameTakenError:
        return NameTakenError(
            f"a container named {self._name!r} is connected to the account {self._server.jid} "
            "already; stop it, or choose another name"
        )

    @property
    def _name(self) -> str:
        return self._domain.partition(".")[0]
