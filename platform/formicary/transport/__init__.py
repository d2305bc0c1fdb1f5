"""How containers reach each other, and any XMPP address.

Where things are, from the container outwards: `router` (the transport that a container uses) has a `link` to
each other container: its `outbox` (what waits to go), its `session` (numbers, acknowledgements, restarts; a
state machine, with `sending`, `greeting`, `watch`, `header`, `instructions`) and its `arrivals` (what comes
in; `frames` are batches of messages as bytes). Links go over direct `connections` (`direct` makes them,
`dialling` keeps them up), through an `xmpp` server, or through a `relay`. `paused` is for mailboxes that are
full at the other end. An XMPP connection is a `stream` (`component` or `account`), with `inbox`, `stanzas`
(messages as plain XMPP) and `sent` (what may come back).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.container.options import ConnectionOptions
    from formicary.server.account import XmppServer
    from formicary.transport.addresses import JoinAddress
    from formicary.transport.router import Router

CPU_GROUP = "communication"


def connect(address: XmppServer | JoinAddress | None, options: ConnectionOptions) -> Router:
    """Return a new transport for one container.

    Args:
        address: the server where containers meet, or the container that all others join; None where the
            others join this one.
        options: how the container wants to reach others, and to be reached.
    """
    from formicary.transport.router import Router

    return Router(address, options)
