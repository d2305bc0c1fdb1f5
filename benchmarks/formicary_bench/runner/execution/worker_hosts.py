"""Where the workers of a repetition run: on this machine, or on other hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary_bench.worker.processes import Worker

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from formicary_bench.remote.host_agent.protocol import Looked
    from formicary_bench.remote.workers import RemoteHost, RemoteWindow, RemoteWorker
    from formicary_bench.worker.messages import Server
    from formicary_bench.worker.windows import Sampled, Unsampled

    WorkerProcess = Worker | RemoteWorker
    Window = Sampled | Unsampled | RemoteWindow


class LocalHost:
    """The machine of the controller, as a host on which workers run."""

    name = ""

    def worker(self) -> Worker:
        """Start a fresh worker."""
        return Worker()

    def window(self, pid: int, servers: tuple[int, ...]) -> AbstractContextManager[Sampled | Unsampled]:
        """Look where a process's CPU time goes; by its clocks alone where nobody may look into it."""
        from formicary_bench.worker.windows import window_on

        return window_on(pid, servers)

    def look(self, pids: tuple[int, ...] = ()) -> Looked:
        """Read the machine's counters."""
        from formicary_bench.remote.host_agent.counters import look

        return look("", pids)


if TYPE_CHECKING:
    WorkerHost = LocalHost | RemoteHost


@dataclass(frozen=True)
class WorkerSlot:
    """What a worker of a repetition is to be, and where.

    Attributes:
        role: its part.
        host: where it runs.
        listen: the IP address at which it listens for the others; loopback if empty.
        server: the XMPP server that it connects to, where one takes part.
    """

    role: str
    host: WorkerHost
    listen: str = ""
    server: Server | None = None

    @property
    def label(self) -> str:
        """What it is called in results: its role, and the host where there are several."""
        return f"{self.role}@{self.host.name}" if self.host.name else self.role
