"""The XMPP server that containers meet at: a managed, private Prosody, and the addresses of any other.

`start`, `stop` and `status` look after one server per state folder: it outlives the command that started it.
`ManagedServer` is for tests and measurements: it ends with its `with` block.

- `address`, `account`: what containers need to know of a server, or of an account there, as plain data
- `address_file`: a server of one's own, as a file says where it is
- `managed`, `temporary`: what the commands and the tests call
- `containers`: makes containers known to a managed server, while it runs and for its next start
- `federation`: several servers that make one platform; `federate` makes their folders, `authority` their
  certificates
- `launch`: from a configuration to a server that answers; `process` is the running program
- `accounts`: ordinary XMPP accounts at a managed server
- `admin`: talks to the running server
- `configuration`, `certificate`: what Prosody reads
- `state`, `folder`: what is remembered between commands, and in which files
"""

from __future__ import annotations

from formicary.server.account import AccountAddress, require_extra
from formicary.server.accounts import ServerAccounts, read_accounts
from formicary.server.address import ServerAddress
from formicary.server.containers import add_container
from formicary.server.managed import ServerStatus, start, status, stop
from formicary.server.temporary import ManagedServer

CPU_GROUP = "platform"

__all__ = [
    "AccountAddress",
    "ManagedServer",
    "ServerAccounts",
    "ServerAddress",
    "ServerStatus",
    "add_container",
    "read_accounts",
    "require_extra",
    "start",
    "status",
    "stop",
]
