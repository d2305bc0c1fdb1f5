"""Launches host agents by a command: `srun` on a job's nodes, the user's own, or none, on this machine."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent.program import AGENT, HostProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.remote.inventory import Host

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
