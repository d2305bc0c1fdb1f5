"""What carries messages from one agent to another."""

from __future__ import annotations

from typing import NamedTuple

ROUTES = AUTO, DIRECT, XMPP = "auto", "direct", "xmpp"
"""The routes between containers: by the platform's own choice, past any server, through the XMPP server."""

OWN = "own"
"""What carries the messages of another platform between two processes: that platform's own means."""

TCP, UNIX, MEMORY = "tcp", "unix", "memory"
"""What carries a baseline's messages between two processes; Unix sockets and shared memory on one host."""


class Carrier(NamedTuple):
    """What carries messages from one agent to another: a route, with TLS or without.

    Attributes:
        route: one of the routes between containers, or what else carries them.
        tls: whether they are encrypted on it.
    """

    route: str
    tls: bool = False


NO_MESSAGES = Carrier("none")
"""Where there are none."""
