"""The servers of a scene: one that both hosts reach even when the cable is cut, or one on each host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tests.faults.side import end_program, start_program

from formicary.server import ManagedServer, ServerAddress
from formicary.server.federate import federate
from formicary.server.federation import parse_member

if TYPE_CHECKING:
    from contextlib import AsyncExitStack
    from pathlib import Path

    from tests.plugins.namespaces import Host

_PLATFORM = "lab.localhost"
_COMMAND = [sys.executable, "-c", "from formicary.cli import main; main()"]


def as_option(address: ServerAddress) -> dict[str, Any]:
    """Return an address in the form that workers take."""
    return {**asdict(address), "folder": str(address.folder)}


async def lay_ways_to(
    server: ManagedServer, hosts: tuple[Host, Host], folder: Path, stack: AsyncExitStack
) -> None:
    """Connect both hosts with a server on loopback, even when the cable between them is cut.

    Args:
        server: one that runs on neither of them.
        hosts: the hosts.
        folder: for a socket.
        stack: closes these paths.
    """
    port, path = str(server.address.port), str(folder / "server")
    ends = [((), (path, port)), *((enter(host), (port, path)) for host in hosts)]
    for prefix, between in ends:
        relay = await start_program(*prefix, sys.executable, "-m", "tests.faults.relay", *between)
        stack.push_async_callback(end_program, relay)
        assert relay.stdout is not None
        assert await relay.stdout.readline() == b"ready\n"


def enter(host: Host) -> tuple[str, ...]:
    """Return the prefix of a command to run on a host."""
    return "ip", "netns", "exec", host.name


class FederatedServers:
    """A server on each of two hosts, for `c1` and `c2`, federated over the cable.

    They end with their hosts.

    Args:
        hosts: the hosts.
        folder: for the servers' files.
    """

    def __init__(self, hosts: tuple[Host, Host], folder: Path) -> None:
        self._hosts = hosts
        self._pids = [0, 0]
        members = [
            parse_member(f"{name}={container}@{host.address}")
            for name, container, host in zip("ab", ("c1", "c2"), hosts, strict=True)
        ]
        self._folders = [made.folder.path for made in federate(_PLATFORM, members, folder / "federation")]
        for index in (0, 1):
            self.start(index)

    def start(self, index: int) -> None:
        """Start the first or the second server."""
        command = [*_COMMAND, "server", "start", "--json", "--folder", self._folders[index]]
        with self._hosts[index].popen(command, stdout=subprocess.PIPE, text=True) as process:
            self._pids[index] = json.loads(process.stdout.read())["pid"]

    def kill(self, index: int) -> None:
        """Kill the first or the second server."""
        os.kill(self._pids[index], signal.SIGKILL)

    def address(self, index: int) -> ServerAddress:
        """Return the server's address for a container on the first or the second host."""
        return ServerAddress.load(self._folders[index])
