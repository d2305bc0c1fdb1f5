"""The nodes of a Slurm job: `srun` starts a program on each, which joins by a file that all of them see."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import sysconfig
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from formicary.errors import UsageError
from formicary.local.addresses import own_address
from formicary.local.launchers import job_nodes, node_name
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.inventory import Host, Inventory
from formicary_bench.remote.launchers.joining.gathering import Gathering
from formicary_bench.remote.launchers.joining.join import meeting_of_job
from formicary_bench.remote.launchers.streams import StreamProgram

if TYPE_CHECKING:
    from formicary_bench.remote.launchers.joining.gathering import Arrived

_SECONDS_TO_JOIN: Final = 90.0
_SECONDS_TO_END: Final = 2.0
_LAST_WORDS: Final = 4000  # bytes


class SlurmProvider:
    """The nodes of the job that this process runs in; see `Provider`.

    Args:
        interface: the network interface by which they are to talk; empty for the only one, or that of the
            node's name.

    Raises:
        UsageError: there is no job, or Slurm's commands are missing.
    """

    def __init__(self, interface: str) -> None:
        self._nodes = {_host_name(node): node for node in job_nodes()}
        self._job = os.environ["SLURM_JOB_ID"]
        self._interface = interface
        self.options = "--launcher slurm" + (f" --interface {interface}" if interface else "")
        self.inventory = Inventory(
            f"job {self._job}", tuple(Host(name=name, address=node) for name, node in self._nodes.items())
        )

    def launcher(self) -> SlurmLauncher:
        """Return what has a program started on all nodes."""
        return SlurmLauncher(self._job, self._nodes, self._interface)


class SlurmLauncher:
    """Has `srun` start a program on each node, and waits for them to join; see `Launcher`.

    Args:
        job: the job's number.
        nodes: Slurm's names of its nodes, by ours.
        interface: as of `SlurmProvider`.
    """

    def __init__(self, job: str, nodes: dict[str, str], interface: str) -> None:
        self.notes: list[str] = []
        self._nodes = nodes
        self._interface = interface
        self._path = meeting_of_job(job)
        if self._path.exists():  # another run of this job, or one that was killed
            self._path = meeting_of_job(f"{job}-{secrets.token_hex(4)}")
        self._stack = AsyncExitStack()
        self._opening: asyncio.Task[Gathering] | None = None
        self._srun: asyncio.subprocess.Process | None = None
        self._said = b""
        self._arrived: dict[str, Arrived] = {}

    async def launch(self, host: Host) -> tuple[StreamProgram, bytes]:
        """Wait for a host, and hear its host agent."""
        if host.name in self._arrived:
            raise HostError(
                f"host {host.name}: its program has left the job, and Slurm starts no other; run again"
            )
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        gathering = await asyncio.shield(self._opening)
        arrived = await self._wait_for(gathering, host)
        self._arrived[host.name] = arrived
        used = arrived.said.interface or "an unknown interface"
        self.notes.append(f"host {host.name} is rank {arrived.said.rank}, by {used} at {arrived.address}")
        program = StreamProgram(host, arrived.reader, arrived.writer)
        advice = f"all nodes are to have the formicary of this one in {arrived.said.prefix}: is "
        "that folder shared?"
        return program, await program.greet(advice)

    def address(self, host: Host) -> str:
        """Return where the host came from."""
        return self._arrived[host.name].address

    async def close(self) -> None:
        """Remove the meeting's file, and end `srun`, which ends what it has started."""
        if self._opening is not None:
            self._opening.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._opening
        await self._stack.aclose()

    async def _open(self) -> Gathering:
        try:
            own = own_address(self._interface, node_name())
        except UsageError as error:
            raise HostError(str(error)) from error
        gathering = await self._stack.enter_async_context(
            Gathering(self._nodes.values(), own.address, self._path)
        )
        self.notes.append(f"hosts meet at {own.address} ({own.interface}), by the file {self._path}")
        await self._start()
        self._stack.push_async_callback(self._end)
        return gathering

    async def _start(self) -> None:
        count = str(len(self._nodes))
        program = Path(sysconfig.get_path("scripts")) / "formicary"
        command = ["srun", "--nodes", count, "--ntasks", count, "--ntasks-per-node", "1", "--overlap"]
        command += [str(program), "hosts", "join", str(self._path)]
        try:
            self._srun = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise HostError(f"srun cannot be started ({error.strerror}); is Slurm installed here?") from error
        self._listening = asyncio.create_task(self._keep_last_words(self._srun))

    async def _keep_last_words(self, srun: asyncio.subprocess.Process) -> None:
        assert srun.stderr is not None
        while data := await srun.stderr.read(_LAST_WORDS):
            self._said = (self._said + data)[-_LAST_WORDS:]

    async def _wait_for(self, gathering: Gathering, host: Host) -> Arrived:
        assert self._srun is not None
        arrival = asyncio.ensure_future(gathering.arrival(self._nodes[host.name]))
        ended = asyncio.ensure_future(self._srun.wait())
        try:
            await asyncio.wait(
                {arrival, ended}, timeout=_SECONDS_TO_JOIN, return_when=asyncio.FIRST_COMPLETED
            )
            if arrival.done():
                return arrival.result()
        finally:
            arrival.cancel()
            ended.cancel()
        words = self._said.decode(errors="replace").strip().split("\n")[-1].strip()
        said = f"; the last that was heard: {words}" if words else ""
        if self._srun.returncode is not None:
            raise HostError(f"host {host.name}: srun has ended before it joined{said}")
        raise HostError(
            f"host {host.name}: it has not joined within {_SECONDS_TO_JOIN:g} s{said}; is "
            f"{self._path.parent} a folder "
            "that all nodes share? Another is named with XDG_STATE_HOME"
        )

    async def _end(self) -> None:
        """End `srun` as Ctrl-C would, and then for certain."""
        srun = self._srun
        assert srun is not None
        with suppress(ProcessLookupError):
            srun.terminate()
        try:
            async with asyncio.timeout(_SECONDS_TO_END):
                await srun.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                srun.kill()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_END):
                await self._listening


def _host_name(node: str) -> str:
    """Return a node's name as one of ours: a-z, 0-9 and inner hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", node.lower()).strip("-")[:63]
