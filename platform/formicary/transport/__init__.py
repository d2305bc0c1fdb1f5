"""How containers reach each other, and any XMPP address. Each line below knows only those under it.

- `router`: the transport of a container, which has a link to each other one and picks the paths of all
- `refusals`: what senders elsewhere are told of messages that have failed, and by which links
- `link_table`: the links that are used
- `xmpp`: a connection to an XMPP server, as a path between containers and to any other XMPP address
- `direct`: direct connections between containers, as a path
- `relay`: the path through the container that others have joined
- `link`: sessions that number and acknowledge what goes between two containers, whatever carries it
- `remote_sink`: where senders wait for room on the way to a receiver elsewhere
- `accepting`: accepts connections, and tells their sources
- `os_errors`: what the system says of connections that cannot be made
- `addresses`: where containers listen, and what they tell others about it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formicary.container.options import ConnectionOptions
    from formicary.server.account import XmppServer
    from formicary.transport.addresses import JoinAddress
    from formicary.transport.router import Router

CPU_GROUP = "communication"


def connect(address: XmppServer | JoinAddress | None, options: ConnectionOptions, **links: Any) -> Router:
    """Return a new transport for one container.

    Args:
        address: the server where containers meet, or the container that all others join; None where the
            others join this one.
        options: how the container wants to reach others, and to be reached.
        links: what its links differ in, for measurements: `session`, which makes their state machines, and
            `batch_size`, as of `Router`.

    Raises:
        UnsupportedError: the system has not what it takes.
    """
    from formicary.core.systems import need_posix

    need_posix("platforms of several containers")
    from formicary.transport.router import Router

    return Router(address, options, **links)
