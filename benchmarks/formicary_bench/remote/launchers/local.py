"""This machine as several hosts, without SSH: to try out what runs over hosts."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Final

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.inventory import Host, Inventory
from formicary_bench.remote.launchers.streams import StreamProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOPBACK: Final = "127.0.0.1"
_LEAST, _MOST = 2, 8  # hosts


class LocalLauncher:
    """Starts host agents as processes of this machine; see `Launcher`."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._programs: list[StreamProgram] = []

    async def launch(self, host: Host) -> tuple[StreamProgram, bytes]:
        """Start a host agent."""
        program = await start_process(host, agent_command(host))
        self._programs.append(program)
        return program, await program.greet("look whether this installation is whole: formicary doctor")

    def address(self, host: Host) -> str:
        """Return the address of the loopback interface."""
        return host.listen

    async def close(self) -> None:
        """End all host agents."""
        for program in self._programs:
            await program.kill()
            await program.closed()


class LocalProvider:
    """This machine, as often as it has processors, but twice at least; see `Provider`."""

    def __init__(self) -> None:
        count = max(_LEAST, min(os.cpu_count() or 1, _MOST))
        names = (f"local-{number}" for number in range(1, count + 1))
        self.options = "--launcher local"
        self.inventory = Inventory(
            self.options, tuple(Host(name=name, address=_LOOPBACK, listen=_LOOPBACK) for name in names)
        )

    def launcher(self) -> LocalLauncher:
        """Return what starts host agents here."""
        return LocalLauncher()


def agent_command(host: Host) -> list[str]:
    """Return the command that is a host agent on this machine."""
    command = [sys.executable, "-P", "-m", "formicary_bench.remote.host_agent.agent"]
    return [*command, "--folder", host.folder, "--interface", host.interface, "--listen", host.listen]


async def start_process(host: Host, command: Sequence[str]) -> StreamProgram:
    """Start a process of this machine's that is a host agent.

    It has a session of its own, so that Ctrl-C is left to the controller.

    Raises:
        HostError: it cannot be started.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except OSError as error:
        raise HostError(
            f"host {host.name}: its host agent cannot be started ({error.strerror}); try again"
        ) from error
    assert process.stdout is not None
    assert process.stdin is not None
    return StreamProgram(host, process.stdout, process.stdin, process)
