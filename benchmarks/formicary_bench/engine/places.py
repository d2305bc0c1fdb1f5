"""Where the processes of a repetition run: on this machine, or on another host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from formicary.profiling.model import Profile
    from formicary_bench.engine.messages import Order, Report
    from formicary_bench.hosts.protocol import Looked


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

    def tell(self, order: Order) -> None:
        """Tell it something; nothing happens if it has ended, which is noticed by `read`."""

    def read(self) -> list[Report] | None:
        """Return what it has said since the last time; None if it has ended or is ending."""

    def wait(self, seconds: float) -> int:
        """Wait until it has ended and return its exit code; end it after this time."""

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error."""

    def handed_over(self) -> int:
        """Return the file descriptor of the raw values that it has written, complete after `Done`."""


class Window(Protocol):
    """A look at where the CPU time of a process goes."""

    def end(self) -> Profile:
        """End it."""


class Place(Protocol):
    """A machine on which workers run.

    Attributes:
        name: the host's name; empty for the machine of the controller.
    """

    name: str

    def worker(self) -> AbstractContextManager[Process]:
        """Start a fresh worker."""

    def window(self, pid: int, servers: tuple[int, ...]) -> AbstractContextManager[Window]:
        """Look where a process's CPU time goes; leaving the block without `end` gives it up."""

    def look(self, pids: tuple[int, ...] = ()) -> Looked:
        """Read the machine's counters."""
