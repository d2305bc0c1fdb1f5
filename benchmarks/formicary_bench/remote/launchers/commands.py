"""Launches host agents by a command: `srun` on a job's nodes, the user's own, or none, on this machine."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from formicary.local.launchers import SRUN, job_nodes, starter
from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent.program import AGENT, HostProgram
from formicary_bench.remote.inventory import Host, Inventory, load
from formicary_bench.remote.launchers.launcher import Provider

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LOOPBACK: Final = "127.0.0.1"
_LEAST, _MOST = 2, 8  # hosts
_SECONDS_TO_END: Final = 2.0


class CommandLauncher:
    """Starts host agents by local processes, which may start them elsewhere; see `Launcher`.

    Args:
        start_on: returns the prefix of the command for a host's address, as does what
            `formicary.local.launchers.starter` returns; by default nothing, for this machine.
    """

    def __init__(self, start_on: Callable[[str], Sequence[str]] = lambda _: ()) -> None:
        self.notes: list[str] = []
        self._start_on = start_on
        self._processes: list[asyncio.subprocess.Process] = []
        self._addresses: dict[str, str] = {}

    async def launch(self, host: Host) -> HostProgram:
        """Start a host agent in its own session, without Ctrl-C."""
        python = _python(host)
        command = [*self._start_on(host.address), python, *AGENT, "--folder", host.folder]
        command += ["--interface", host.interface] if host.interface else []
        command += ["--listen", host.listen] if host.listen else ["--node"]
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            raise HostError(
                f"host {host.name}: its host agent cannot be started ({error.strerror}); try again"
            ) from error
        self._processes.append(process)
        advice = f"each host needs the formicary of this one at {python}: is that folder shared?"
        program = HostProgram(host, process, process.wait, lambda _: _end(process), advice=advice)
        said = await program.greet()
        self._addresses[host.name] = said.address
        if not host.listen:
            self.notes.append(f"host {host.name} is reached by {said.interface} at {said.address}")
        return program

    def address(self, host: Host) -> str:
        """Return the address that its host agent found."""
        return self._addresses[host.name]

    async def close(self) -> None:
        """End all host agents."""
        await asyncio.gather(*map(_end, self._processes))
        for process in self._processes:
            with suppress(TimeoutError, OSError):
                async with asyncio.timeout(_SECONDS_TO_END):
                    await process.communicate()  # so that its pipes are closed


def _python(host: Host) -> str:
    return str(Path(host.venv).expanduser() / "bin" / "python") if host.venv else sys.executable


async def _end(process: asyncio.subprocess.Process) -> None:
    """Terminate a process, and kill it if that takes too long."""
    for order in (process.terminate, process.kill):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                order()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_END):
                await process.wait()


def local_provider() -> Provider:
    """Return a host for each processor of this machine, but at least two."""
    count = max(_LEAST, min(os.cpu_count() or 1, _MOST))
    names = (f"local-{number}" for number in range(1, count + 1))
    hosts = tuple(Host(name=name, address=_LOOPBACK, listen=_LOOPBACK) for name in names)
    options = "--launcher local"
    return Provider(Inventory(options, hosts), options, CommandLauncher)


def slurm_provider(interface: str) -> Provider:
    """Return the nodes of this process's job.

    Args:
        interface: the network interface between them; empty for the only one, or that of the node's name.

    Raises:
        UsageError: there is no job, or Slurm's commands are missing.
    """
    hosts = (Host(name=_host_name(node), address=node, interface=interface) for node in job_nodes())
    inventory = Inventory(f"job {os.environ['SLURM_JOB_ID']}", tuple(hosts))
    options = "--launcher slurm" + (f" --interface {interface}" if interface else "")
    return Provider(inventory, options, lambda: CommandLauncher(starter(SRUN)))


def command_provider(path: Path, command: str) -> Provider:
    """Return the hosts of a file, where a command starts programs; raise a UsageError for bad input."""
    start_on = starter(command)
    options = f"--hosts {path} --launcher {shlex.quote(command)}"
    return Provider(load(path), options, lambda: CommandLauncher(start_on))


def _host_name(node: str) -> str:
    """Return a node's name in the alphabet of hosts' names."""
    return re.sub(r"[^a-z0-9]+", "-", node.lower()).strip("-")[:63]
