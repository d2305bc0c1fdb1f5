"""Prosody's configuration as text: for the managed server, and for an administrator's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formicary.server.address import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.server.folder import StateFolder

STANZA_LIMIT = 4 * 1024 * 1024
"""Bytes of the largest stanza that a server configured by us takes."""

_PRINTABLE = range(0x20, 0x7F)

_SPEED = f"""\
-- Collecting young objects apart from old ones doubles the stanzas per second.
gc = {{ mode = "generational" }}

-- Nagle's algorithm makes 16 ms of a round trip of 0.15; libevent cannot switch it off, epoll can.
network_backend = "epoll"
network_settings = {{ nagle = false, min_wait = 0 }}

-- Large stanzas arrive in few reads: at 10 kB each, 15 times as many per second as with the default.
network_default_read_size = 65536

-- A stanza that is larger makes Prosody close the whole connection, so containers are told the limit.
component_stanza_size_limit = {STANZA_LIMIT}
c2s_stanza_size_limit = {STANZA_LIMIT}
s2s_stanza_size_limit = {STANZA_LIMIT}
"""


@dataclass(frozen=True, slots=True)
class ServerConfiguration:
    """What differs between two managed servers.

    Attributes:
        folder: its state folder.
        platform: the domain that it serves.
        port: TCP port for containers.
        client_port: TCP port for ordinary XMPP clients.
        secret: the secret of all containers.
        as_root: whether root starts it, which Prosody refuses unless it is told that this is meant.
    """

    folder: StateFolder
    platform: str
    port: int
    client_port: int
    secret: str = field(repr=False)
    as_root: bool = False


def render(configuration: ServerConfiguration) -> str:
    """Return the text of `prosody.cfg.lua` for a managed server."""
    folder, platform = configuration.folder, configuration.platform
    included = folder.containers(platform) / "*.cfg.lua"
    # SPADE connects to the host in an agent's address, and every machine knows where `localhost` is.
    hosts = "\n".join(
        f'VirtualHost {lua_string(host)}\n    modules_enabled = {{ "tls" }}'
        for host in dict.fromkeys([platform, "localhost"])
    )
    root = "run_as_root = true\n" if configuration.as_root else ""
    return f"""\
-- Written anew by every `formicary server start`: changes are lost.

-- Everything stays in the state folder, readable by its user alone.
data_path = {lua_string(folder.data)}
certificates = {lua_string(folder.certificates)}
pidfile = {lua_string(folder.path / "prosody.pid")}
admin_socket = {lua_string(folder.socket)}
umask = "077"
{root}log = {{ {{ levels = {{ min = "info" }}, to = "console", timestamps = true }} }}

-- This machine alone: nothing listens on a network, and no other server is spoken to.
interfaces = {{ "{LOOPBACK}" }}
local_interfaces = {{ "{LOOPBACK}" }}
component_interfaces = {{ "{LOOPBACK}" }}
c2s_interfaces = {{ "{LOOPBACK}" }}
component_ports = {{ {configuration.port} }}
c2s_ports = {{ {configuration.client_port} }}
c2s_direct_tls_ports = {{}}
http_ports = {{}}
https_ports = {{}}

{_SPEED}
-- No "limits" among the modules: it would hold our own traffic back. No "offline" either: what an account
-- that is not there cannot get goes back to its sender.
modules_enabled = {{ "saslauth", "roster", "disco", "ping", "admin_shell" }}
modules_disabled = {{ "s2s", "s2s_auth_certs", "offline" }}

-- Ordinary XMPP clients may log in without TLS: their words do not leave this machine. There is TLS all the
-- same, with a certificate of our own, because stock slixmpp and with it SPADE insist on it.
authentication = "internal_hashed"
allow_registration = false
c2s_require_encryption = false
allow_unencrypted_plain_auth = true

-- The secret of all containers. A second container of the same name is refused: it would be a mistake, and
-- the two would push each other out for ever.
component_secret = {lua_string(configuration.secret)}
component_conflict_resolve = "kick_new"

{hosts}

-- Opens the port for containers before the first of them comes. No container can have this name.
Component {lua_string(f"_containers.{platform}")}
    disco_hidden = true

Include {lua_string(included)}
"""


def container_lines(container: str, platform: str) -> str:
    """Return the configuration of one container at the managed server, which has the secret in common."""
    return f"Component {lua_string(f'{container}.{platform}')}\n"


def advice(platform: str, containers: Iterable[str], secret: str) -> str:
    """Return what an administrator adds to a Prosody of their own, and how containers then connect.

    Args:
        platform: the domain that the server serves.
        containers: names of the containers that may connect.
        secret: the secret for them.
    """
    names = list(containers)
    components = "\n".join(
        f"Component {lua_string(f'{name}.{platform}')}\n    component_secret = {lua_string(secret)}"
        for name in names
    )
    return f"""\
-- For Prosody 0.12 or later. Restart it afterwards: a reload does not apply all of this.

-- 1. In the global section, before the first VirtualHost; replace what is there already.

{_SPEED}
-- Leave "limits" out of modules_enabled, or raise its rates: as packaged it cuts an account to 10 kB/s, about
-- 50 messages a second. Containers are not held back by it, ordinary accounts and other servers are.

-- Containers connect to this port. On loopback, where only this machine reaches it: XEP-0114 has no TLS.
component_interfaces = {{ "{LOOPBACK}" }}
component_ports = {{ 5347 }}

-- A second container of the same name is refused. Take "kick_old" if a container that lost its network is to
-- get its place back before Prosody has noticed.
component_conflict_resolve = "kick_new"

-- 2. At the end, one for each container. Keep the file private (mode 0640, group prosody): the secret lets
-- whoever has it speak for the containers.

{components}

-- 3. A container then connects so, with the secret in a file that only you can read:
--
--     from pathlib import Path
--     from formicary import Container
--     from formicary.server import ServerAddress
--
--     secret = Path("secret.txt").read_text().strip()
--     server = ServerAddress("{LOOPBACK}", 5347, secret, "{platform}", stanza_limit={STANZA_LIMIT})
--     async with Container("{names[0]}", server=server) as container:
--         ...
"""


def lua_string(value: object) -> str:
    """Return a Lua literal for the text of `value`; whatever it holds, it stays one string."""
    encoded = str(value).encode("utf-8", "surrogateescape")
    special = b'"\\'
    return (
        '"' + "".join(chr(b) if b in _PRINTABLE and b not in special else f"\\{b:03}" for b in encoded) + '"'
    )
