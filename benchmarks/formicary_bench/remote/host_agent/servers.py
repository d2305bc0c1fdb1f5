"""The XMPP server of a run on a host."""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary.core.quoting import shorten
from formicary.errors import UsageError
from formicary_bench.remote.host_agent.protocol import About

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FOLDER = "s"  # short, for the path of a Unix socket
_DATA = re.compile(r"lock|[a-z]+\.(json|crt)|certificates/[^/]+\.(crt|key)")
_CONTAINER = re.compile(r"containers/([^/]+)/([^/]+)\.cfg\.lua")


def serve(
    files: Mapping[str, bytes], options: Mapping[str, Any], folder: Path
) -> tuple[About, Callable[[], None]]:
    """Start a server from its files, unless it runs; it ends with the calling thread at the latest.

    Args:
        files: the content of its state folder, by relative path; of programs, the names alone count.
        options: `run`: whether to start it, or only to write its files; `listen`: the IP address for
            containers of other hosts, with TLS.
        folder: the parent of its state folder.

    Returns:
        The server, and a function that ends it and removes its files.

    Raises:
        ServerError: it cannot be started.
        UsageError: a file is not data of a server, or the folder's path is too long.
        OSError: the files cannot be written.
    """
    home = folder / _FOLDER
    stop = partial(_stop, home)
    try:
        if not home.exists():
            _write(files, home)
        about = _start(home, options.get("listen")) if options.get("run", True) else About(str(home))
    except BaseException:
        stop()
        raise
    return about, stop


def _write(files: Mapping[str, bytes], home: Path) -> None:
    from formicary.core.files import write_private
    from formicary.core.private import make_private_folder
    from formicary.server.containers import remember
    from formicary.server.folder import LONGEST_SOCKET_PATH, StateFolder

    socket = os.fsencode(StateFolder(home).socket)
    if len(socket) > LONGEST_SOCKET_PATH:
        raise UsageError(
            f"the path of its folder is {len(socket) - LONGEST_SOCKET_PATH} bytes too long for a server's "
            "socket; give it a shorter `folder` in the hosts' file"
        )
    home.mkdir(mode=0o700)
    for name, content in files.items():
        if container := _CONTAINER.fullmatch(name):  # Lua: none from elsewhere is run
            remember(StateFolder(home), *container.groups())
        elif _DATA.fullmatch(name):
            make_private_folder((home / name).parent)
            write_private(home / name, content)
        else:
            raise UsageError(f"{shorten(name)} is not a file that a server takes from another host")


def _start(home: Path, listen: str | None) -> About:
    from formicary.server import managed
    from formicary.server.folder import StateFolder
    from formicary.server.state import read_state

    managed.start(home, listen=listen, die_with_parent=True)
    state = read_state(StateFolder(home))
    assert state is not None
    return About(
        folder=str(home),
        port=state.port,
        tls_port=state.tls_port,
        client_port=state.client_port,
        stanza_limit=state.stanza_limit,
        pid=state.pid or 0,
        version=state.version,
    )


def _stop(home: Path) -> None:
    from formicary.server import process
    from formicary.server.folder import StateFolder
    from formicary.server.state import read_state

    folder = StateFolder(home)
    try:
        state = read_state(folder)
        if state is not None and state.pid and process.is_prosody(state.pid, folder.config):
            process.end(state.pid, kill=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)
