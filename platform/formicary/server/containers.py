"""Registration of containers with a managed server, running or for its next start."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core import names
from formicary.core.errors import ServerError
from formicary.core.files import write_private
from formicary.core.private import make_private_folder
from formicary.server.admin import AdminShell
from formicary.server.configuration import container_lines, lua_string
from formicary.server.federation import read_federation
from formicary.server.folder import StateFolder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.server.address import ServerAddress

# Does what a `Component` line in the configuration does, for one name in one step. The shell's own
# `config:reload()` and `host:activate()` would do, too, but reloading recreates all TLS contexts, and blocks
# messages for 10 ms.
_ADD = (
    ">(function (host, config) "
    'config.set(host, "component_module", "component"); '
    'config.set(host, "load_global_modules", false); '
    'return require "core.hostmanager".activate(host) '
    'end)({}, require "core.configmanager")'
)
_CONNECTED = (
    ">(function () "
    "local found = {}; "
    "for host, it in pairs(prosody.hosts) do "
    "local component = it.modules and it.modules.component; "
    "if component and component.connected then found[#found + 1] = host end "
    "end "
    'return table.concat(found, " ") '
    "end)()"
)


async def add_container(address: ServerAddress, container: str) -> None:
    """Allow a container of this name to connect; an already registered name is not an error.

    Does nothing on a server not managed here, whose administrator decides who may connect.

    Waits in a thread for a few milliseconds, without blocking the loop. If cancelled, the name may still be
    registered.

    Args:
        address: the server.
        container: the container's own name, such as `c1`.

    Raises:
        InvalidNameError: the name is invalid.
        ServerError: the server is not running or refuses, or the container belongs to another server.
    """
    if address.folder is not None:
        folder = StateFolder(address.folder)
        await asyncio.to_thread(register, folder, address.platform, container)


def register(folder: StateFolder, platform: str, container: str) -> None:
    """Do as `add_container`, but blocking; errors as there."""
    federation = read_federation(folder)
    if federation is not None:
        federation.check(names.check_container(container))
    remember(folder, platform, container)
    try:
        with AdminShell(folder.socket) as admin:
            answer = admin.ask(_ADD.format(lua_string(f"{container}.{platform}")))
    except OSError as error:
        raise ServerError(
            f"the server in {folder.path} is not running ({error.strerror}); start it with: "
            f"formicary server start{folder.option}"
        ) from error
    if not answer.ok and "already activated" not in answer.text:
        raise ServerError(f"the server in {folder.path} refuses the container {container!r}: {answer.text}")


def remember(folder: StateFolder, platform: str, container: str) -> None:
    """Add a container to the server's configuration, for its next start.

    Raises:
        InvalidNameError: the name is invalid.
        ServerError: the state folder cannot be written.
    """
    names.check_platform(f"{names.check_container(container)}.{platform}")
    path = folder.containers(platform) / f"{container}.cfg.lua"
    if path.exists():
        return
    try:
        make_private_folder(path.parent)
        write_private(path, container_lines(container, platform))
    except OSError as error:
        raise ServerError(f"{path} cannot be written ({error.strerror})") from error


def remember_only(folder: StateFolder, platform: str, containers: Iterable[str]) -> None:
    """Set the containers in the server's configuration to exactly these.

    Raises:
        InvalidNameError: a name is invalid.
        ServerError: the state folder cannot be written.
        OSError: like ServerError.
    """
    wanted = set(containers)
    for name in sorted(wanted):
        remember(folder, platform, name)
    for name in set(known(folder, platform)) - wanted:
        (folder.containers(platform) / f"{name}.cfg.lua").unlink(missing_ok=True)


def known(folder: StateFolder, platform: str) -> list[str]:
    """Return the names of the containers that may connect to the server, sorted."""
    files = folder.containers(platform).glob("[!.]*.cfg.lua")
    return sorted((path.name.removesuffix(".cfg.lua") for path in files), key=names.natural)


def connected(folder: StateFolder, platform: str) -> list[str]:
    """Return the names of the containers connected to the server, sorted.

    Raises:
        ServerError: it does not answer.
    """
    try:
        with AdminShell(folder.socket) as admin:
            domains = admin.do(_CONNECTED).split()
    except OSError as error:
        raise ServerError(f"the server in {folder.path} does not answer ({error.strerror})") from error
    found = (domain.removesuffix(f".{platform}") for domain in domains if domain.endswith(f".{platform}"))
    return sorted(found, key=names.natural)
