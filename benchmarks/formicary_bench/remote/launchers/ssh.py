"""Launches host agents by SSH, on the hosts of an inventory."""

from __future__ import annotations

import shlex
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from formicary_bench.remote import HostError
from formicary_bench.remote.folders import interpreter
from formicary_bench.remote.host_agent.program import AGENT, HostProgram
from formicary_bench.remote.ssh import Web

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.remote.inventory import Host

_SECONDS_TO_KILL = 3.0


class SshLauncher:
    """Starts host agents by SSH; see `Launcher`. Raises a HostError if asyncssh is not installed."""

    def __init__(self, hosts: Iterable[Host]) -> None:
        self.notes: list[str] = []
        self._web = Web(hosts)

    async def launch(self, host: Host) -> HostProgram:
        import asyncssh

        connection = await self._web.connect(host.name)
        command = [interpreter(host), *AGENT, "--folder", host.folder]
        command += ["--interface", host.interface, "--listen", host.listen]
        try:
            process = await connection.ssh.create_process(shlex.join(command), encoding=None)
        except (asyncssh.Error, OSError) as error:
            raise connection.error(f"its host agent cannot be started ({error}); try again") from error

        async def kill(pid: int) -> None:
            """Kill it by another command: SSH's own signals need another user than root."""
            if pid > 1:
                with suppress(asyncssh.Error, OSError):
                    await connection.ssh.run(f"kill -KILL {pid:d}", timeout=_SECONDS_TO_KILL)

        program = HostProgram(host, process, process.wait_closed, kill, errors=(asyncssh.Error, OSError))
        await program.greet()
        return program

    def address(self, host: Host) -> str:
        """Return `listen` of the inventory, or else the address of the SSH server."""
        if host.listen:
            return host.listen
        try:
            return str(socket.getaddrinfo(host.address, None, type=socket.SOCK_STREAM)[0][4][0])
        except OSError as error:
            raise HostError(
                f"host {host.name}: no address for the other hosts: {host.address} has no IP address here "
                f"({error.strerror}); set one as `listen` in the hosts' file"
            ) from error

    async def close(self) -> None:
        await self._web.close()
