"""The managed server: one per state folder, running until stopped."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formicary.core import names
from formicary.core.errors import ServerError
from formicary.server import containers as container_files
from formicary.server import process
from formicary.server.address import LOOPBACK
from formicary.server.configuration import STANZA_LIMIT, ServerConfiguration
from formicary.server.federation import read_federation
from formicary.server.folder import StateFolder, locked, prepare
from formicary.server.launch import Launched, check_port, free_port, is_free, last_words, launch
from formicary.server.state import ServerState, read_state, write_state

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from formicary.server.address import ServerAddress

DEFAULT_PLATFORM = "lab.localhost"
_ATTEMPTS = 3  # a free port may be taken before Prosody opens it


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of a state folder.

    Attributes:
        folder: the folder.
        running: whether its server is running.
        state: the server as last started; None if there never was one.
        containers: names of the containers that may connect to it.
        memory: bytes of resident memory; 0 if it is not running.
    """

    folder: StateFolder
    running: bool
    state: ServerState | None
    containers: list[str]
    memory: int


def start(
    folder: Path | None = None,
    platform: str | None = None,
    containers: Iterable[str] = (),
    *,
    port: int | None = None,
    listen: str | None = None,
    die_with_parent: bool = False,
) -> ServerAddress:
    """Start the server of a state folder, unless it is running, and return its address once it answers.

    Ports and secret of the folder's last server are reused if possible, so that containers find it again.

    Args:
        folder: the state folder; the one in the user's home if None.
        platform: the domain to serve; if None, the last server's, or `lab.localhost`.
        containers: names to register; others can be added at any time.
        port: TCP port for containers; a free one if None.
        listen: IP address of this host for containers of other hosts, on the TLS port; by default the server
            listens for containers only on loopback.
        die_with_parent: end the server when the calling thread ends (Linux).

    Raises:
        InvalidNameError: the platform's domain or a container's name is invalid.
        ServerError: it cannot be started, is already running with another platform or port, or belongs to a
            federation in which it does not own these containers.
    """
    if platform is not None:
        names.check_platform(platform)
    wanted = [names.check_container(name) for name in containers]
    files = StateFolder.at(folder)
    prepare(files)
    with locked(files):
        before = read_state(files)
        _check_federation(files, platform, wanted)
        if before and process.is_prosody(before.pid, files.config):
            _check_same(files, before, platform, port)
            for name in wanted:
                container_files.register(files, before.platform, name)
            return before.address(files)
        plan = _plan(before, platform)
        for name in wanted:
            container_files.remember(files, plan.platform, name)
        return _start(files, plan, port, listen, die_with_parent=die_with_parent)


def stop(folder: Path | None = None) -> bool:
    """Stop the server of a state folder; return whether one was running.

    Accounts, containers, ports and secret are kept for the next start.

    Args:
        folder: the state folder; the one in the user's home if None.

    Raises:
        ServerError: the folder's state cannot be read or written.
    """
    files = StateFolder.at(folder)
    if read_state(files) is None:
        return False
    with locked(files):
        state = read_state(files)
        running = state is not None and process.is_prosody(state.pid, files.config)
        if state is not None and state.pid is not None:
            if running:
                process.end(state.pid)
            _remember(files, replace(state, pid=None))
            files.socket.unlink(missing_ok=True)
        return running


def status(folder: Path | None = None) -> ServerStatus:
    """Return the status of a state folder's server.

    Args:
        folder: the state folder; the one in the user's home if None.

    Raises:
        ServerError: the folder's state cannot be read.
    """
    import psutil

    files = StateFolder.at(folder)
    state = read_state(files)
    if state is None or not process.is_prosody(state.pid, files.config):
        return ServerStatus(files, running=False, state=state, containers=[], memory=0)
    known = container_files.known(files, state.platform)
    try:
        memory = psutil.Process(state.pid).memory_info().rss
    except psutil.Error:  # it ended meanwhile
        return ServerStatus(files, running=False, state=state, containers=known, memory=0)
    return ServerStatus(files, running=True, state=state, containers=known, memory=memory)


def running_address(folder: Path | None, *, tls: bool = False) -> ServerAddress:
    """Return the address of the server of a state folder.

    Args:
        folder: the state folder; the one in the user's home if None.
        tls: whether containers connect with TLS.

    Raises:
        ServerError: it is not running, or the folder's state cannot be read.
    """
    files = StateFolder.at(folder)
    return running_state(files).address(files, tls=tls)


def running_state(files: StateFolder) -> ServerState:
    """Return the state of the folder's running server.

    Raises:
        ServerError: it is not running, or the folder's state cannot be read.
    """
    state = read_state(files)
    if state is None or not process.is_prosody(state.pid, files.config):
        happened = (
            "no server is running"
            if state is None or state.pid is None
            else "the server is no longer running"
        )
        raise ServerError(f"{happened} in {files.path}; start one with: formicary server start{files.option}")
    return state


def _check_same(folder: StateFolder, state: ServerState, platform: str | None, port: int | None) -> None:
    """Check that the running server is the requested one."""
    differs = f"platform {state.platform}" if platform not in {None, state.platform} else ""
    differs = f"port {state.port}" if port not in {None, state.port} else differs
    if differs:
        raise ServerError(
            f"a server with {differs} is already running in {folder.path}; stop it first with: "
            f"formicary server stop{folder.option}"
        )


def _check_federation(folder: StateFolder, platform: str | None, containers: list[str]) -> None:
    """Check that a server of a federation stays in it, with its own containers."""
    federation = read_federation(folder)
    if federation is None:
        return
    if platform not in {None, federation.platform}:
        raise ServerError(
            f"the server in {folder.path} belongs to the federation {federation.platform}; start it "
            "without --platform, or start another one in its own folder"
        )
    for name in containers:
        federation.check(name)


def reserve(folder: StateFolder, platform: str) -> str:
    """Set the platform of a folder's server; return its secret, which never changes.

    Raises:
        ServerError: it has another platform, or the folder cannot be read or written.
    """
    with locked(folder):
        before = read_state(folder)
        if before is None:
            before = _plan(None, platform)
            _remember(folder, before)
        elif before.platform != platform:
            raise ServerError(
                f"{folder.path} is the folder of a server for {before.platform}, not for {platform}; choose "
                "another one"
            )
        return before.secret


def _plan(before: ServerState | None, platform: str | None) -> ServerState:
    """Return what the next server takes over from the last one."""
    platform = platform or (before.platform if before else DEFAULT_PLATFORM)
    if before and before.platform == platform:
        return replace(before, stanza_limit=STANZA_LIMIT, pid=None)
    secret = secrets.token_urlsafe(32)
    return ServerState(platform, 0, 0, secret, STANZA_LIMIT, version="", pid=None)


def _start(
    folder: StateFolder, plan: ServerState, port: int | None, listen: str | None, *, die_with_parent: bool
) -> ServerAddress:
    for left in reversed(range(_ATTEMPTS)):
        state = _with_ports(plan, port)
        configuration = _configuration(folder, state, listen)
        launched = launch(configuration, die_with_parent=die_with_parent)
        state = replace(state, pid=launched.pid, version=launched.version)
        has_tls = (LOOPBACK, state.tls_port) in launched.listening
        if _needed(configuration) <= launched.listening and (has_tls or not left):
            # A Prosody too new for our module has no TLS port, which matters only to users of TLS.
            return _adopt(folder, state if has_tls else replace(state, tls_port=0), launched)
        process.end(launched.pid)
    raise ServerError(f"Prosody could not open its ports: {last_words(folder.log)} (its log is {folder.log})")


def _with_ports(plan: ServerState, port: int | None) -> ServerState:
    """Choose the ports: the requested ones, otherwise the last ones if free, otherwise any."""
    if port is not None:
        check_port(port)
    else:
        port = plan.port if plan.port and is_free(plan.port) else free_port()
    chosen = [port]
    for before in (plan.client_port, plan.tls_port):
        other = before if before and is_free(before) else free_port()
        while other in chosen:
            other = free_port()
        chosen.append(other)
    return replace(plan, port=port, client_port=chosen[1], tls_port=chosen[2])


def _needed(configuration: ServerConfiguration) -> frozenset[tuple[str, int]]:
    """Return the addresses and ports that the server needs."""
    places = {(LOOPBACK, configuration.port), (LOOPBACK, configuration.client_port)}
    if configuration.listen is not None:
        places.add((configuration.listen, configuration.tls_port))
    if configuration.federation is not None:
        own = configuration.federation.own
        places.add((own.address, own.port))
    return frozenset(places)


def _configuration(folder: StateFolder, state: ServerState, listen: str | None) -> ServerConfiguration:
    return ServerConfiguration(
        folder,
        state.platform,
        state.port,
        state.client_port,
        state.tls_port,
        state.secret,
        as_root=os.geteuid() == 0,
        federation=read_federation(folder),
        listen=listen,
    )


def _adopt(folder: StateFolder, state: ServerState, launched: Launched) -> ServerAddress:
    """Save a running server's state, or end it, since nobody could stop it later."""
    try:
        _remember(folder, state)
    except BaseException:
        process.end(launched.pid)
        raise
    return state.address(folder)


def _remember(folder: StateFolder, state: ServerState) -> None:
    try:
        write_state(folder, state)
    except OSError as error:
        raise ServerError(f"{folder.state} cannot be written ({error.strerror})") from error
