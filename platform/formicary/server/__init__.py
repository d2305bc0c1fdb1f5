"""The XMPP server where containers meet: a managed, private Prosody, and the addresses of others.

`start`, `stop` and `status` manage one server per state folder, which outlives the command that started it.
`ManagedServer` is for tests and measurements, and ends with its `with` block.

- `address`, `account`: the data with which containers reach a server, or an account there
- `address_file`: the address of your own server, from a file
- `managed`, `temporary`: entry points of commands and tests
- `containers`: registers containers with a managed server, running or for its next start
- `federation`: several servers that form one platform; `federate` creates their folders
  and certificates
- `launch`: starts a server from a configuration; `process` is the running program
- `accounts`: ordinary XMPP accounts on a managed server
- `admin`: talks to the running server
- `configuration`, `certificate`: what Prosody reads
- `state`, `folder`: what is stored between commands, and where
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
