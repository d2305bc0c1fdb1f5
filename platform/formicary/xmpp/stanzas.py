"""Messages as aioxmpp has them; `formicary.transport.xmpp.stanzas` says how they look to anybody outside."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import fromstring

import aioxmpp
import aioxmpp.forms  # so that messages keep their forms

from formicary.core.errors import MessageTooLargeError
from formicary.transport.xmpp import stanzas
from formicary.transport.xmpp.stream import COMPONENT

if TYPE_CHECKING:
    from formicary.core.message import Message
    from formicary.server.account import AccountAddress


def to_stanza(message: Message, receiver: str, account: AccountAddress) -> Any:
    """Return the stanza for `receiver`, with an id; whom it is from, the server says.

    Raises:
        FormicaryError: the message cannot be one.
    """
    text = stanzas.to_stanza(message, receiver, "")
    if len(text) > account.stanza_limit:
        raise MessageTooLargeError(
            f"the message for {receiver} is {len(text)} bytes as XMPP, and {account} takes "
            f"{account.stanza_limit}"
        )
    text = text.replace(b"<message ", b"<message xmlns='jabber:client' ", 1)
    stanza = aioxmpp.xml.read_single_xso(io.BytesIO(text), aioxmpp.Message)
    stanza.from_ = stanza.id_ = None
    stanza.autoset_id()
    return stanza


def from_stanza(stanza: Any, receiver: str) -> Message | None:
    """Return the message that a stanza brings to `receiver`; None where it brings none.

    Raises:
        FormicaryError: the stanza's values cannot be a message's.
    """
    element = fromstring(aioxmpp.xml.serialize_single_xso(stanza))  # noqa: S314 -- aioxmpp has written it
    for part in element.iter():
        part.tag = part.tag.replace("{jabber:client}", f"{{{COMPONENT}}}")
    return stanzas.from_stanza(element, str(stanza.from_), receiver)


def refusal(stanza: Any, sender: str, reason: str) -> Any:
    """Return the error that answers a stanza, or, where that is not at hand any more, goes to its sender."""
    error = aioxmpp.stanza.Error(
        condition=aioxmpp.ErrorCondition.SERVICE_UNAVAILABLE, type_=aioxmpp.ErrorType.CANCEL, text=reason
    )
    if stanza is not None:
        return stanza.make_error(error)
    answer = aioxmpp.Message(type_=aioxmpp.MessageType.ERROR, to=aioxmpp.JID.fromstr(sender))
    answer.error = error
    return answer


def error_text(stanza: Any) -> str:
    """Return what an error stanza says, as part of a sentence."""
    error = stanza.error
    if error is None:
        return "undefined-condition"
    condition = str(error.condition.value[1])
    return f"{error.text} ({condition})" if error.text else condition
