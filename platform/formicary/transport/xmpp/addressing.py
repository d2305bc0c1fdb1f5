"""The addresses of containers at an XMPP server: components, or resources of one account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary.core.names import is_container, is_container_of
from formicary.server.account import require_extra
from formicary.server.address import ServerAddress
from formicary.transport.link.frames import NAMESPACE
from formicary.transport.xmpp.component import ComponentStream

if TYPE_CHECKING:
    from formicary.server.account import XmppServer
    from formicary.transport.xmpp.stream import XmppStream

FRAME_TYPE = "groupchat"
"""The type of the messages that carry frames between connections of one account (RFC 6121, 8.5.3.2).

If the receiving connection is gone, the server returns such a message. One without a type, or of type `chat`,
it would give to another connection of the account or store, and copy to others (XEP-0280) and archive
(XEP-0313).
"""


def make_stream(server: XmppServer, domain: str, **callbacks: Any) -> XmppStream:
    """Return a new stream for a container; UsageError if the extra `accounts` is needed and missing."""
    if isinstance(server, ServerAddress):
        return ComponentStream(server, domain, **callbacks)
    require_extra()
    from formicary.transport.xmpp.account_stream import AccountStream

    return AccountStream(server, domain, **callbacks)


def frame_head(server: XmppServer, sender: str, receiver: str) -> bytes:
    """Return the start of a frame's stanza from one container's domain to another's."""
    if isinstance(server, ServerAddress):
        address = f"from='{sender}' to='{receiver}'"
    else:  # the server adds the sender
        address = f"type='{FRAME_TYPE}' to='{server.jid}/{receiver.partition('.')[0]}'"
    return f"<message {address} id='f'><frame xmlns='{NAMESPACE}'>".encode()


def domain_of(server: XmppServer, origin: str) -> str | None:
    """Return the domain of the container that has an address at a server; None if there is none."""
    if isinstance(server, ServerAddress):
        return origin if is_container_of(origin, server.platform) else None
    account, _, name = origin.partition("/")
    return f"{name}.{server.platform}" if account == server.jid and is_container(name) else None
