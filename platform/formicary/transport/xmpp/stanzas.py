"""Messages as plain XMPP stanzas, for addresses outside the platform; see `docs/wire-format.md`.

ACL's parameters that XMPP lacks are in a data form (XEP-0004) titled `spade:x:metadata`, as in SPADE.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from html import escape  # that of `xml.sax.saxutils` loads an HTTP client, and email
from typing import TYPE_CHECKING, Any

from formicary.core.errors import InvalidMessageError
from formicary.core.message import FORM_PARAMETERS, FORM_TITLE, Message
from formicary.core.names import complete_for
from formicary.core.quoting import sentence
from formicary.transport.xmpp.stream import COMPONENT

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

__all__ = ["clean", "error_reply", "error_text", "escaped", "from_stanza", "quoted", "to_stanza"]

_FORM = "jabber:x:data"
_STANZA_ERRORS = "urn:ietf:params:xml:ns:xmpp-stanzas"
_THREAD = "_thread_node"  # SPADE's field for the thread
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_stanza(message: Message, receiver: str, stanza_id: str, sender: str | None = None) -> bytes:
    """Return the `<message/>` for `receiver`, from `sender` if it is not the message's own.

    FormicaryError if the body is bytes, or a value has a wrong type or characters that XML cannot carry.
    """
    message.check()
    body = message.body
    if isinstance(body, bytes):
        raise InvalidMessageError(
            f"a body of bytes cannot go to {receiver}, which is outside the platform: XMPP carries "
            "text; encode it, for example with base64"
        )
    fields = dict(message.metadata or {})
    for form, name in FORM_PARAMETERS.items():
        if (value := getattr(message, name)) is not None:
            fields[form] = value
    if message.reply_by is not None:
        fields["reply-by"] = message.reply_by.isoformat()
    if message.reply_to is not None:
        fields["reply-to"] = complete_for(message.reply_to, message.sender)
    origin, to = quoted(message.sender or "" if sender is None else sender), quoted(receiver)
    parts = [
        f"<message type='chat' id='{stanza_id}' from={origin} to={to}>",
        f"<body>{escaped(body)}</body>",
    ]
    if message.thread is not None:
        parts.append(f"<thread>{escaped(message.thread)}</thread>")
        fields[_THREAD] = message.thread
    if fields:
        parts.append(_form(fields))
    parts.append("</message>")
    stanza = "".join(parts)
    if found := _NOT_XML.search(stanza):
        raise InvalidMessageError(
            f"the message for {receiver} has the character {found[0]!r}, which XML cannot carry; "
            "encode it, for example with base64"
        )
    return stanza.encode()


def clean(text: str) -> str:
    """Return a text without the characters that XML cannot carry."""
    return _NOT_XML.sub("?", text)


def quoted(text: str) -> str:
    """Return a text as the quoted value of an attribute."""
    text = escape(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    return f'"{text}"'


def escaped(text: str) -> str:
    """Return a text escaped for use between tags."""
    return escape(text, quote=False).replace("\r", "&#13;")  # a parser would turn it into a line feed


def _form(fields: dict[str, str]) -> str:
    rows = "".join(
        f"<field var={quoted(name)} type='text-single'><value>{escaped(value)}</value></field>"
        for name, value in fields.items()
    )
    return f"<x xmlns='{_FORM}' type='form'><title>{FORM_TITLE}</title>{rows}</x>"


def from_stanza(stanza: Element, sender: str, receiver: str) -> Message | None:
    """Return the message in a `<message/>`; None if there is none, as in a chat state or a receipt.

    FormicaryError if its values are not valid for a message.
    """
    body = stanza.findtext(f"{{{COMPONENT}}}body")
    fields = _fields(stanza)
    if body is None and not fields:
        return None
    thread = stanza.findtext(f"{{{COMPONENT}}}thread") or fields.pop(_THREAD, None)
    fields.pop(_THREAD, None)
    values: dict[str, Any] = {
        name: fields.pop(form) for form, name in FORM_PARAMETERS.items() if form in fields
    }
    if "reply-by" in fields:
        # An invalid time, or one without a zone, remains in the metadata.
        with suppress(ValueError):
            reply_by = datetime.fromisoformat(fields["reply-by"])
            if reply_by.utcoffset() is not None:
                values["reply_by"] = reply_by
                del fields["reply-by"]
    message = Message(
        to=receiver, sender=sender, body=body or "", thread=thread, metadata=fields or None, **values
    )
    message.check()
    return message


def _fields(stanza: Element) -> dict[str, str]:
    for form in stanza.iterfind(f"{{{_FORM}}}x"):
        if form.findtext(f"{{{_FORM}}}title") == FORM_TITLE:
            return {
                field.get("var", ""): field.findtext(f"{{{_FORM}}}value") or ""
                for field in form.iterfind(f"{{{_FORM}}}field")
            }
    return {}


def kind_of(stanza: Element) -> str:
    """Return a stanza's kind, such as `message`, `iq` or `presence`."""
    return stanza.tag.removeprefix(f"{{{COMPONENT}}}")


def error_reply(kind: str, stanza_id: str, sender: str, to: str, *, condition: str, text: str) -> bytes:
    """Return the error stanza (RFC 6120, 8.3) that answers a stanza of `kind`, such as `message`."""
    advice = "wait" if condition == "resource-constraint" else "cancel"
    return (
        f"<{kind} type='error'{_id(stanza_id)} from={quoted(sender)} to={quoted(to)}>"
        f"<error type='{advice}'><{condition} xmlns='{_STANZA_ERRORS}'/>"
        f"<text xmlns='{_STANZA_ERRORS}'>{escape(clean(text))}</text></error></{kind}>"
    ).encode()


def _id(stanza_id: str) -> str:
    return f" id={quoted(stanza_id)}" if stanza_id else ""


def ping_reply(stanza_id: str, sender: str, to: str) -> bytes:
    """Return the answer to a ping (XEP-0199)."""
    return f"<iq type='result' id={quoted(stanza_id)} from={quoted(sender)} to={quoted(to)}/>".encode()


def presence_refusal(sender: str, to: str) -> bytes:
    """Return the answer to a request for an agent's presence, which agents do not have."""
    return f"<presence type='unsubscribed' from={quoted(sender)} to={quoted(to)}/>".encode()


def error_condition(stanza: Element) -> str:
    """Return the condition (RFC 6120, 8.3.3) of an error stanza."""
    error = stanza.find(f"{{{COMPONENT}}}error")
    conditions = [] if error is None else [child.tag.removeprefix(f"{{{_STANZA_ERRORS}}}") for child in error]
    return next((name for name in conditions if name != "text" and "}" not in name), "undefined-condition")


def error_text(stanza: Element) -> str:
    """Return the text of an error stanza, as part of a sentence."""
    error = stanza.find(f"{{{COMPONENT}}}error")
    condition = error_condition(stanza)
    text = None if error is None else error.findtext(f"{{{_STANZA_ERRORS}}}text")
    return sentence(f"{text} ({condition})" if text else condition)
