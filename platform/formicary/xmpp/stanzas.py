"""Stanzas of an agent's own account; `formicary.transport.xmpp.stanzas` defines the form of messages."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from formicary.errors import MessageTooLargeError
from formicary.transport.xmpp.stanzas import clean, error_reply, quoted
from formicary.transport.xmpp.stanzas import error_text as text_of_error
from formicary.transport.xmpp.stanzas import from_stanza as message_of
from formicary.transport.xmpp.stanzas import to_stanza as stanza_of
from formicary.xmpp.session import CLIENT

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from formicary import Message
    from formicary.server import AccountAddress


_COMPONENT = "jabber:component:accept"  # the namespace of stanzas between a server and a container


def new_id() -> str:
    """Return an unguessable ID: whoever knows it can answer."""
    return secrets.token_hex(8)


def to_stanza(message: Message, receiver: str, stanza_id: str, account: AccountAddress) -> str:
    """Return the stanza for `receiver`.

    Raises:
        FormicaryError: the message cannot be represented.
    """
    stanza = stanza_of(message, receiver, stanza_id, account.jid)
    if len(stanza) > account.stanza_limit:
        raise MessageTooLargeError(
            f"the message for {receiver} is {len(stanza)} bytes as XMPP, and {account} takes "
            f"{account.stanza_limit}"
        )
    return stanza.decode()


def from_stanza(stanza: Element, receiver: str) -> Message | None:
    """Return a stanza's message to `receiver`; None if it has none.

    Raises:
        FormicaryError: the stanza's values are invalid in a message.
    """
    return message_of(_renamed(stanza), stanza.get("from", ""), receiver)


def error_text(stanza: Element) -> str:
    """Return an error stanza's text, as part of a sentence."""
    return text_of_error(_renamed(stanza))


def _renamed(stanza: Element) -> Element:
    for part in stanza.iter():
        part.tag = part.tag.replace(f"{{{CLIENT}}}", f"{{{_COMPONENT}}}")
    return stanza


def refusal(stanza_id: str, account: AccountAddress, sender: str, reason: str) -> str:
    """Return the error stanza for a message that was not delivered."""
    return error_reply(
        "message", stanza_id, account.jid, sender, condition="service-unavailable", text=reason
    ).decode()


def presence(kind: str = "", to: str = "", content: str = "") -> str:
    """Return a `<presence/>` of a kind, empty for available."""
    return f"<presence id='{new_id()}'{_attribute('type', kind)}{_attribute('to', to)}>{content}</presence>"


def request(kind: str, payload: str, to: str = "") -> str:
    """Return an `<iq/>` of kind `get` or `set`, to our own server if `to` is empty."""
    return f"<iq id='{new_id()}' type='{kind}'{_attribute('to', to)}>{payload}</iq>"


def ping(to: str) -> str:
    """Return a ping request (XEP-0199)."""
    return request("get", "<ping xmlns='urn:xmpp:ping'/>", to)


def reply(stanza_id: str, to: str, payload: str | None) -> str:
    """Return the `<iq/>` that answers a request with a payload, which may be empty, or None to refuse."""
    if payload is None:
        payload = (
            "<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        )
        kind = "error"
    else:
        kind = "result"
    return f"<iq{_attribute('id', stanza_id)} type='{kind}'{_attribute('to', to)}>{payload}</iq>"


def _attribute(name: str, value: str) -> str:
    return f" {name}={quoted(clean(value))}" if value else ""
