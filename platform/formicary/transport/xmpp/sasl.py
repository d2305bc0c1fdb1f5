"""Proving to a server that one knows an account's password (RFC 6120, 6); scramp does SCRAM's arithmetic."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import scramp

from formicary.core.errors import AuthenticationError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from formicary.server.account import AccountAddress
    from formicary.transport.xmpp.login import LoginStream

_SASL = "urn:ietf:params:xml:ns:xmpp-sasl"
_SCRAM = ("SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512")


async def authenticate(address: AccountAddress, stream: LoginStream, features: Element) -> None:
    """Prove that we know the password, and, by SCRAM, have the server prove that it does.

    Raises:
        AuthenticationError: it does not accept the password, or know it, or would have it sent in the clear.
        LinkError: it says what cannot be understood.
    """
    found = features.iterfind(f"{{{_SASL}}}mechanisms/{{{_SASL}}}mechanism")
    offered = {mechanism.text for mechanism in found}
    user = address.jid.partition("@")[0]
    if known := [mechanism for mechanism in _SCRAM if mechanism in offered]:
        try:
            client = scramp.ScramClient(known, user, address.password)
        except scramp.ScramException:  # which quotes it
            raise AuthenticationError(
                f"the password of {address.jid} contains a character that is not allowed in "
                "passwords (RFC 4013)"
            ) from None
        try:
            await _by_scram(address, stream, client)
        except (scramp.ScramException, ValueError):  # the latter: what it says is not base64, or no text
            raise AuthenticationError(
                f"{address} did not prove that it knows the password of {address.jid}, as SCRAM requires"
            ) from None
    elif "PLAIN" in offered and stream.is_encrypted:
        await _say(address, stream, _auth("PLAIN", f"\0{user}\0{address.password}"), "success")
    else:
        raise AuthenticationError(
            f"{address} offers no supported login mechanism: SCRAM, or a plain password with TLS"
        )


async def _by_scram(address: AccountAddress, stream: LoginStream, client: Any) -> None:
    first = await _say(address, stream, _auth(client.mechanism_name, client.get_client_first()), "challenge")
    client.set_server_first(_decoded(first))
    proof = await asyncio.to_thread(client.get_client_final)  # how long that takes, the server says
    final = await _say(address, stream, _response(proof), "challenge", "success")
    client.set_server_final(_decoded(final))
    if final.tag != f"{{{_SASL}}}success":
        await _say(address, stream, _response(""), "success")


async def _say(address: AccountAddress, stream: LoginStream, text: str, *names: str) -> Element:
    """Send a text of SASL (RFC 6120, 6.4); return the answer, one of `names`."""
    answer = await stream.ask(text, *(f"{{{_SASL}}}{name}" for name in (*names, "failure")))
    if answer.tag == f"{{{_SASL}}}failure":
        raise AuthenticationError(f"{address} does not accept the password of {address.jid}")
    return answer


def _auth(mechanism: str, text: str) -> str:
    return f"<auth xmlns='{_SASL}' mechanism='{mechanism}'>{_encoded(text)}</auth>"


def _response(text: str) -> str:
    return f"<response xmlns='{_SASL}'>{_encoded(text)}</response>"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _decoded(element: Element) -> str:
    return base64.b64decode(element.text or "", validate=True).decode()
