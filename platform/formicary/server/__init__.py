"""The XMPP server that containers meet at: a managed, private Prosody, and the address of any other.

`start`, `stop` and `status` look after one server per state folder: the server outlives whoever started it.
`ManagedServer` is for tests and measurements: it ends with its `with` block. `ServerAddress` is what a
container needs to know of a server, managed or not, and `add_container` makes its name known there;
`AccountAddress` is what one needs that has only an account there.

Where things are: `folder` (the files), `state` (what is remembered between commands), `configuration` (what
Prosody is told), `process` (the running program), `launch` (from a configuration to a server that answers),
`admin` (talking to it), `containers`, `managed` and `temporary` (what the commands and the tests call).
"""

from __future__ import annotations

from formicary.server.account import AccountAddress
from formicary.server.address import ServerAddress
from formicary.server.containers import add_container
from formicary.server.managed import ServerStatus, start, status, stop
from formicary.server.temporary import ManagedServer

CPU_GROUP = "platform"

__all__ = [
    "AccountAddress",
    "ManagedServer",
    "ServerAddress",
    "ServerStatus",
    "add_container",
    "start",
    "status",
    "stop",
]
