"""Where the processes of a repetition run: on this machine, or on another host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from formicary_bench.worker.processes import Worker

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from formicary.profiling.model.profile import Profile
    from formicary_bench.remote.host_agent.protocol import Looked
    from formicary_bench.worker.messages import Order, Report, Server


class Process(Protocol):
    """A worker as its controller sees it; its process is gone when the block of its place ends.

    Attributes:
        pid: its process, where it runs.
    """

    @property
    def pid(self) -> int:
        """Its process, where it runs."""

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when it has said something, or ended."""

    def send(self, order: Order) -> None:
        """Send it an order; nothing happens if it has ended, which is noticed by `read`."""

    def read(self) -> list[Report] | None:
        """Return what it has said since the last time; None if it has ended or is ending."""

    def wait(self, seconds: float) -> int:
        """Wait until it has ended and return its exit code; end it after this time."""

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error."""

    def handed_over(self) -> int:
        """Return the file descriptor of the raw values that it has written, complete after `Done`."""


class Window(Protocol):
    """A look at where the CPU time of a process goes.

    Attributes:
        refused: why it is not looked into, so that its time is known as a whole alone; empty if it is.
    """

    @property
    def refused(self) -> str:
        """Why it is not looked into."""

    def end(self) -> Profile:
        """End it."""


class WorkerHost(Protocol):
    """A machine on which workers run.

    Attributes:
        name: the host's name; empty for the machine of the controller.
    """

    @property
    def name(self) -> str:
        """The host's name; empty for the machine of the controller."""

    def worker(self) -> AbstractContextManager[Process]:
        """Start a fresh worker."""

    def window(self, pid: int, servers: tuple[int, ...]) -> AbstractContextManager[Window]:
        """Look where a process's CPU time goes; leaving the block without `end` gives it up."""

    def look(self, pids: tuple[int, ...] = ()) -> Looked:
        """Read the machine's counters."""


class LocalHost:
    """The machine of the controller."""

    name = ""

    def worker(self) -> Worker:
        """Start a fresh worker."""
        return Worker()

    def window(self, pid: int, servers: tuple[int, ...]) -> AbstractContextManager[Window]:
        """Look where a process's CPU time goes; by its clocks alone where nobody may look into it."""
        from formicary_bench.worker.windows import window_on

        return window_on(pid, servers)

    def look(self, pids: tuple[int, ...] = ()) -> Looked:
        """Read the machine's counters."""
        from formicary_bench.remote.host_agent.counters import look

        return look("", pids)


LOCAL_HOST = LocalHost()


@dataclass(frozen=True)
class WorkerSlot:
    """What a worker of a repetition is to be, and where.

    Attributes:
        role: its part.
        place: where it runs.
        listen: the IP address at which it listens for the others; loopback if empty.
        server: the XMPP server that it connects to, where one takes part.
    """

    role: str
    host: WorkerHost = LOCAL_HOST
    listen: str = ""
    server: Server | None = None

    @property
    def label(self) -> str:
        """What it is called in results: its role, and the host where there are several."""
        return f"{self.role}@{self.host.name}" if self.host.name else self.role
