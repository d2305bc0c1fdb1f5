"""This machine as several hosts, without SSH: to try out what runs over hosts."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from formicary_bench.remote.errors import HostError
from formicary_bench.remote.host_agent.program import AGENT, HostProgram
from formicary_bench.remote.inventory import Host, Inventory
from formicary_bench.remote.launchers.launcher import Provider

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOOPBACK: Final = "127.0.0.1"
_LEAST, _MOST = 2, 8  # hosts
_SECONDS_TO_END: Final = 2.0
_ADVICE: Final = "look whether this installation is whole: formicary doctor"


class LocalLauncher:
    """Starts host agents as processes of this machine; see `Launcher`."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._processes: list[asyncio.subprocess.Process] = []

    async def launch(self, host: Host) -> HostProgram:
        """Start a host agent."""
        program = await self.start(host, ["--listen", host.listen], _ADVICE)
        await program.greet()
        return program

    async def start(
        self, host: Host, options: Sequence[str], advice: str, before: Sequence[str] = ()
    ) -> HostProgram:
        """Start a process that is a host agent.

        It has a session of its own, so that Ctrl-C is left to the controller.

        Args:
            host: which host it is.
            options: those of the host agent, besides its folder and interface.
            advice: what to do where it does not work.
            before: the command that starts it elsewhere, and passes on its standard input and output.

        Raises:
            HostError: it cannot be started.
        """
        pipe = asyncio.subprocess.PIPE
        command = [*before, sys.executable, *AGENT, "--folder", host.folder, "--interface", host.interface]
        try:
            process = await asyncio.create_subprocess_exec(
                *command, *options, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            raise HostError(
                f"host {host.name}: its host agent cannot be started ({error.strerror}); try again"
            ) from error
        self._processes.append(process)
        return HostProgram(host, process, process.wait, lambda _: _end(process), advice=advice)

    def address(self, host: Host) -> str:
        """Return the address of the loopback interface."""
        return host.listen

    async def close(self) -> None:
        """End all host agents."""
        await asyncio.gather(*map(_end, self._processes))
        for process in self._processes:
            with suppress(TimeoutError, OSError):
                async with asyncio.timeout(_SECONDS_TO_END):
                    await process.communicate()  # so that its pipes are closed


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process: what starts others elsewhere, in order at first, and then for certain."""
    for order in (process.terminate, process.kill):
        if process.returncode is None:
            with suppress(ProcessLookupError):
                order()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_END):
                await process.wait()


def local_provider() -> Provider:
    """Return this machine, as often as it has processors, but twice at least."""
    count = max(_LEAST, min(os.cpu_count() or 1, _MOST))
    names = (f"local-{number}" for number in range(1, count + 1))
    hosts = tuple(Host(name=name, address=_LOOPBACK, listen=_LOOPBACK) for name in names)
    options = "--launcher local"
    return Provider(Inventory(options, hosts), options, LocalLauncher)
