"""Workers as their controller sees them, and processes that they may leave behind."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from formicary.core.scratch import sweep
from formicary.processes.child import Child
from formicary.processes.lines import LineError, Lines, encode
from formicary.processes.messages import Failed
from formicary_bench.worker.messages import Job, Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    import psutil

    from formicary_bench.worker.messages import Order


_MARK = "FORMICARY_DRIVEN_BY"
_LOOKS = 20  # a process may start another before it is killed


def marked_environment() -> Mapping[str, str]:
    """Return our environment with a mark by which processes are found again; keep one that it has."""
    return {_MARK: secrets.token_hex(8)} | os.environ


def running(mark: Mapping[str, str]) -> list[str]:
    """Return names and ids of other processes with a mark."""
    named = []
    for process in _marked(mark):
        with _may_have_ended():
            named.append(f"{process.name()} (process {process.pid})")
    return named


def end_all(mark: Mapping[str, str]) -> None:
    """Kill other processes with a mark."""
    for _ in range(_LOOKS):
        found = list(_marked(mark))
        for process in found:
            with _may_have_ended():
                process.kill()
        if not found:
            return


def _marked(mark: Mapping[str, str]) -> Iterator[psutil.Process]:
    import psutil

    for process in psutil.process_iter(["environ"]):
        environment = process.info["environ"] or {}  # None for another user's, or if it has ended
        if environment.get(_MARK) == mark[_MARK] and process.pid != os.getpid():
            yield process


def _may_have_ended() -> suppress:
    """Return a context manager for a process that may have ended."""
    import psutil

    return suppress(psutil.Error)


_COMMAND = (sys.executable, "-P", "-m", "formicary_bench.worker.worker")


class Worker:
    """A worker's process on this machine, ended after the `with` block."""

    def __init__(self) -> None:
        self._mark = marked_environment()
        self._is_driven = False
        self._lines: Lines[Report] = Lines(Report)

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as files:
            self._handover = files.enter_context(tempfile.TemporaryFile())
            handed = [self._handover.fileno()]
            self._process = Child(_COMMAND, is_piped=True, keeps_words=True, pass_fds=handed, env=self._mark)
            self._files = files.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The driver of another platform, started by the worker, is in its group and ends with it.
        with self._files, self._process:
            pass
        if self._is_driven:  # processes of the driver may have left the group
            end_all(self._mark)
        sweep()  # if it was killed, its temporary folders are left

    @property
    def pid(self) -> int:
        return self._process.pid

    def fileno(self) -> int:
        """Return a descriptor that becomes readable with its reports and its end."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, order: Order) -> None:
        """Send it an order; do nothing if it has ended."""
        assert self._process.stdin is not None
        if isinstance(order, Job):
            order = replace(order, handover=self._handover.fileno())
            self._is_driven = bool(order.exchange)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(encode(order) + b"\n")

    def read(self) -> list[Report] | None:
        """Return its new reports; None if it has closed its output."""
        data = os.read(self.fileno(), 1 << 16)
        if not data:
            return None
        try:
            return [*self._lines.feed(data)]
        except LineError as error:
            return [Failed(f"it said {error}")]

    def wait(self, seconds: float) -> int:
        """Wait for its end, kill it after these seconds, and return its exit code."""
        return self._process.end_within(seconds)

    def last_words(self) -> str:
        """Return the last line of its standard error."""
        return self._process.last_words()

    def raw_values(self) -> int:
        """Return the descriptor of its raw values, complete after `Done`."""
        return self._handover.fileno()
