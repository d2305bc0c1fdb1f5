"""Proves knowledge of an account's password to a server (RFC 6120, 6); scramp computes SCRAM."""

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
    """Prove knowledge of the password, and with SCRAM have the server prove it as well.

    Raises:
        AuthenticationError: it does not accept or know the password, or wants it unencrypted.
        LinkError: it does not answer as specified.
    """
    found = features.iterfind(f"{{{_SASL}}}mechanisms/{{{_SASL}}}mechanism")
    offered = {mechanism.text for mechanism in found}
    user = address.jid.partition("@")[0]
    if known := [mechanism for mechanism in _SCRAM if mechanism in offered]:
        try:
            client = scramp.ScramClient(known, user, address.password)
        except scramp.ScramException:  # its text has the password
            raise AuthenticationError(
                f"the password of {address.jid} contains a character that is not allowed in "
                "passwords (RFC 4013)"
            ) from None
        try:
            await _by_scram(address, stream, client)
        except (scramp.ScramException, ValueError):  # the latter: not base64, or not UTF-8
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
    proof = await asyncio.to_thread(client.get_client_final)  # the server decides how long it takes
    final = await _say(address, stream, _response(proof), "challenge", "success")
    client.set_server_final(_decoded(final))
    if final.tag != f"{{{_SASL}}}success":
        await _say(address, stream, _response(""), "success")


async def _say(address: AccountAddress, stream: LoginStream, text: str, *names: str) -> Element:
    """Send a SASL element (RFC 6120, 6.4); return the answer, one of `names`."""
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
