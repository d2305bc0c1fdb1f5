"""Links between containers, and messages to any XMPP address. Each module imports only those below it.

- `router`: a container's transport: its links to other containers, and their paths
- `refusals`: tells senders elsewhere which of their messages have failed, over the right link
- `link_table`: the links in use
- `xmpp`: a connection to an XMPP server, as a path between containers and to any other XMPP address
- `direct`: direct connections between containers, as a path
- `link`: sessions that number and acknowledge the frames between two containers, over any path
- `remote_sink`: where senders wait for room on the way to another container
- `accepting`: accepts connections, even when file descriptors run out
- `os_errors`: why the system cannot make a connection, in words
- `addresses`: where containers listen, as join addresses and offers
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
        address: the server where containers meet, or the container that all others join; None if the
            others join this one.
        options: how the container reaches others and is reached.
        links: changes to its links, for measurements: `session` and `batch_size`, as of `Router`.

    Raises:
        UnsupportedError: the operating system lacks what this needs.
    """
    from formicary.core.systems import need_posix

    need_posix("platforms of several containers")
    from formicary.transport.router import Router

    return Router(address, options, **links)
