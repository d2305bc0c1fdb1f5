"""A connection to a host that is this machine, without SSH: commands are started here."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from formicary_bench.remote import HostError

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.remote.inventory import Host


class Process:
    """A process as asyncssh returns it, as far as it is used."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    async def wait_closed(self) -> None:
        await self._process.wait()

    def close(self) -> None:
        self.stdin.close()


class Ssh:
    """Starts commands, with a shell's errors."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.processes = []

    async def create_process(self, command: str, *, encoding: None) -> Process:
        process = await asyncio.create_subprocess_exec(
            "sh",
            "-c",
            f"exec {command}",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.home,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"},
        )
        self.processes.append(process)
        return Process(process)

    async def end(self) -> None:
        """Wait for processes that were told to end."""
        for process in self.processes:
            process.stdin.close()
            await asyncio.wait_for(process.communicate(), 60)


@dataclass
class LocalConnection:
    """As `hosts.connection.Connection`."""

    host: Host
    ssh: Any

    def error(self, sentence: str) -> HostError:
        return HostError(f"host {self.host.name}: {sentence}")


def script(path: Path, text: str) -> str:
    """Write a shell script, and return the command that calls it."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return shlex.quote(str(path))
