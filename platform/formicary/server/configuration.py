"""Prosody's configuration as text, for managed servers and administrators' own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.server.address import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.server.federation import Federation
    from formicary.server.folder import StateFolder

STANZA_LIMIT = 4 * 1024 * 1024
"""Bytes of the largest stanza that a server configured by us accepts."""

MODULES = Path(__file__).parent / "modules"
"""Our own modules for Prosody."""

AUTHORITY = "ca.crt"
"""The file, in each server's folder, with the authorities that a federation's servers trust."""

_PRINTABLE = range(0x20, 0x7F)

_OWN_FILES = Path("/etc/prosody/formicary")  # our files for an administrator's own Prosody
_S2S_SECONDS = 15  # until stanzas for another server that does not answer are returned

_FRAMES = "formicary_frames"  # relays frames between containers
_GUARDS = ["formicary_share", "formicary_nobody"]  # against greedy clients; see their files

_SPEED = f"""\
-- Collecting young objects separately doubles the stanzas per second.
gc = {{ mode = "generational" }}

-- Nagle's algorithm turns a round trip of 0.15 ms into 16 ms; epoll can switch it off, libevent cannot.
network_backend = "epoll"
network_settings = {{ nagle = false, min_wait = 0 }}

-- Large stanzas arrive in few reads: at 10 kB each, 15 times as many per second as with the default.
network_default_read_size = 65536

-- Prosody closes the whole connection at a larger stanza, so containers know this limit.
component_stanza_size_limit = {STANZA_LIMIT}
c2s_stanza_size_limit = {STANZA_LIMIT}
s2s_stanza_size_limit = {STANZA_LIMIT}
"""


@dataclass(frozen=True, slots=True)
class ServerConfiguration:
    """The settings of a managed server.

    Attributes:
        folder: its state folder.
        platform: its domain.
        port: TCP port for containers.
        client_port: TCP port for ordinary XMPP clients.
        tls_port: TCP port for containers that connect with TLS.
        secret: the secret of all containers.
        as_root: whether root starts it, which Prosody must be told to allow.
        federation: its federation, if any.
        listen: IP address for containers of other hosts, with TLS; none if None.
    """

    folder: StateFolder
    platform: str
    port: int
    client_port: int
    tls_port: int
    secret: str = field(repr=False)
    as_root: bool = False
    federation: Federation | None = None
    listen: str | None = None


def render(configuration: ServerConfiguration) -> str:
    """Return the text of `prosody.cfg.lua` for a managed server."""
    folder, platform = configuration.folder, configuration.platform
    included = folder.containers(platform) / "*.cfg.lua"
    certificate = folder.certificate(platform)
    root = "run_as_root = true\n" if configuration.as_root else ""
    return f"""\
-- Overwritten by every `formicary server start`: changes are lost.

-- Everything is in the state folder, which only its user can read.
data_path = {lua_string(folder.data)}
certificates = {lua_string(folder.certificates)}
pidfile = {lua_string(folder.process_file)}
admin_socket = {lua_string(folder.socket)}
umask = "077"
{root}log = {{ {{ levels = {{ min = "info" }}, to = "console", timestamps = true }} }}

{_ports(configuration)}
{_SPEED}
-- While containers use the server, "formicary_share" limits clients; "limits" would only count bytes. Without
-- "offline", stanzas to an account that is not logged in go back to their senders.
{_modules(configuration.federation)}
{_other_servers(configuration)}
-- Containers may connect with TLS, to a separate port.
formicary_platform = {lua_string(platform)}
formicary_tls_ports = {{ {configuration.tls_port} }}
formicary_tls_ssl = {{
    certificate = {lua_string(certificate)},
    key = {lua_string(certificate.with_suffix(".key"))},
    protocol = "tlsv1_3",
}}

-- Ordinary XMPP clients may log in without TLS, as their data does not leave this machine. TLS is available
-- with a self-signed certificate, because stock slixmpp, and so SPADE, insists on it.
authentication = "internal_hashed"
allow_registration = false
c2s_require_encryption = false
allow_unencrypted_plain_auth = true

-- The secret of all containers. A second container of the same name is refused; otherwise the two would
-- replace each other for ever.
component_secret = {lua_string(configuration.secret)}
component_conflict_resolve = "kick_new"

{_hosts(configuration)}

-- Opens the port for containers before the first of them connects. No container can have this name.
Component {lua_string(f"_containers.{platform}")}
    disco_hidden = true

Include {lua_string(included)}
"""


def _ports(configuration: ServerConfiguration) -> str:
    tls_addresses = [LOOPBACK, *([configuration.listen] if configuration.listen else [])]
    return f"""\
-- By default, ports are open to this machine only.
interfaces = {{ "{LOOPBACK}" }}
local_interfaces = {{ "{LOOPBACK}" }}
component_interfaces = {{ "{LOOPBACK}" }}
c2s_interfaces = {{ "{LOOPBACK}" }}
formicary_tls_interfaces = {_lua_list(tls_addresses)}
component_ports = {{ {configuration.port} }}
c2s_ports = {{ {configuration.client_port} }}
c2s_direct_tls_ports = {{}}
s2s_direct_tls_ports = {{}}
http_ports = {{}}
https_ports = {{}}
"""


def _modules(federation: Federation | None) -> str:
    enabled = ["saslauth", "roster", "disco", "ping", "admin_shell", "formicary_tls"]
    enabled += [_FRAMES, *_GUARDS]
    disabled = ["offline"]
    if federation is None:
        disabled += ["s2s", "s2s_auth_certs"]
    else:
        enabled += ["tls", "formicary_peers"]
    return f"""\
plugin_paths = {{ {lua_string(MODULES)} }}
modules_enabled = {_lua_list(enabled)}
modules_disabled = {_lua_list(disabled)}
"""


def _hosts(configuration: ServerConfiguration) -> str:
    """Return the hosts for accounts: the platform's domain, or the server's own in a federation."""
    federation = configuration.federation
    own = configuration.platform if federation is None else federation.domain
    # SPADE connects to the host in an agent's address, and every machine resolves `localhost`. To other
    # servers this name means themselves.
    return f"""\
VirtualHost {lua_string(own)}
    modules_enabled = {{ "tls" }}
VirtualHost "localhost"
    modules_enabled = {{ "tls" }}
    modules_disabled = {{ "s2s" }}"""


def _other_servers(configuration: ServerConfiguration) -> str:
    if configuration.federation is None:
        return "-- No connections to other servers.\n"
    return _federation(configuration.federation, configuration.folder.path / AUTHORITY)


def _federation(federation: Federation, authority: Path) -> str:
    peers = "\n".join(
        f"    [{lua_string(domain)}] = {{ {lua_string(member.address)}, {member.port} }},"
        for domain, member in federation.routes().items()
    )
    return f"""\
-- The other servers of the federation, and their addresses. They use TLS, and each must prove by its
-- certificate that it serves the domain that it speaks for; dialback would only ask DNS.
s2s_interfaces = {{ {lua_string(federation.own.address)} }}
s2s_ports = {{ {federation.own.port} }}
s2s_require_encryption = true
s2s_secure_auth = true
s2s_ssl = {{ cafile = {lua_string(authority)}, capath = false }}
s2s_timeout = {_S2S_SECONDS}
formicary_peers = {{
{peers}
}}
"""


def container_lines(container: str, platform: str) -> str:
    """Return the configuration of one container on the managed server, with the shared secret."""
    return f"Component {lua_string(f'{container}.{platform}')}\n"


def advice(
    platform: str, containers: Iterable[str], secret: str, federation: Federation | None = None
) -> str:
    """Return the configuration to add to an administrator's own Prosody, and how containers then connect.

    Args:
        platform: the domain that the server serves.
        containers: names of the containers that may connect.
        secret: their secret.
        federation: the server's federation, if any.
    """
    names = list(containers)
    components = "\n".join(
        f"Component {lua_string(f'{name}.{platform}')}\n    component_secret = {lua_string(secret)}"
        for name in names
    )
    return f"""\
-- For Prosody 0.12 or later. Restart it afterwards: a reload does not apply all of this.

-- 1. In the global section, before the first VirtualHost; replace what is already there.

{_SPEED}
-- Remove "limits" from modules_enabled, or raise its rates: as packaged it limits an account to 10 kB/s,
-- about 50 messages a second. It does not affect containers, but ordinary accounts and other servers.
--
-- Messages between containers cost a third with mod_formicary_frames.lua, which is in
-- {MODULES}.
-- Copy it to {_OWN_FILES}, add that folder to plugin_paths, and add "formicary_frames" to
-- modules_enabled.
--
-- If ordinary clients connect, too, keep them from delaying containers: copy mod_formicary_share.lua and
-- mod_formicary_nobody.lua from that folder, too, and add "formicary_share" and "formicary_nobody" to
-- modules_enabled.

-- Containers connect to this port. Only this machine can reach it on loopback: XEP-0114 has no TLS.
component_interfaces = {{ "{LOOPBACK}" }}
component_ports = {{ 5347 }}

-- A second container of the same name is refused. Use "kick_old" to let a container that lost its network
-- connect again before Prosody has noticed.
component_conflict_resolve = "kick_new"
{_federation_advice(federation) if federation else ""}
-- 2. At the end, one for each container. Keep the file private (mode 0640, group prosody): whoever has the
-- secret can act for the containers.

{components}

-- 3. Containers then connect like this, with the secret in a file that only you can read:
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


def _federation_advice(federation: Federation) -> str:
    return f"""
-- Copy these to where Prosody's user can read them: from this file's folder, {AUTHORITY} to
-- {_OWN_FILES / AUTHORITY}, and certificates/{federation.domain}.crt and .key to Prosody's folder of
-- certificates; and {MODULES / "mod_formicary_peers.lua"}
-- to {_OWN_FILES}. Add "tls" and "formicary_peers" to modules_enabled. Accounts, if any, belong to
-- the VirtualHost {federation.domain}, since {federation.platform} has several servers.
plugin_paths = {{ {lua_string(_OWN_FILES)} }}
formicary_platform = {lua_string(federation.platform)}

{_federation(federation, _OWN_FILES / AUTHORITY)}"""


def _lua_list(values: Iterable[str]) -> str:
    return f"{{ {', '.join(lua_string(value) for value in values)} }}"


def lua_string(value: object) -> str:
    """Return a Lua string literal for the text of `value`, whatever it contains."""
    encoded = str(value).encode("utf-8", "surrogateescape")
    special = b'"\\'
    return (
        '"' + "".join(chr(b) if b in _PRINTABLE and b not in special else f"\\{b:03}" for b in encoded) + '"'
    )
