"""The workers as their controller sees them, and what they may leave behind."""

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
_LOOKS = 20  # while one is ended it may have started another


def marked_environment() -> Mapping[str, str]:
    """Return our environment with a mark, for what is to be found again: a new one if it has none."""
    return {_MARK: secrets.token_hex(8)} | os.environ


def running(mark: Mapping[str, str]) -> list[str]:
    """Return the programs and process ids of what runs with a mark, but for this process."""
    named = []
    for process in _marked(mark):
        with _may_have_ended():
            named.append(f"{process.name()} (process {process.pid})")
    return named


def end_all(mark: Mapping[str, str]) -> None:
    """End all that runs with a mark, but for this process."""
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
        environment = process.info["environ"] or {}  # none of what is somebody else's, or has just ended
        if environment.get(_MARK) == mark[_MARK] and process.pid != os.getpid():
            yield process


def _may_have_ended() -> suppress:
    """Return a block for what may have ended meanwhile."""
    import psutil

    return suppress(psutil.Error)


_COMMAND = (sys.executable, "-P", "-m", "formicary_bench.worker.worker")


class Worker:
    """A worker's process on this machine; gone after the `with` block, whatever it is doing."""

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
        # What the worker has started itself, another platform's driver, is in its group and must go with it.
        with self._files, self._process:
            pass
        if self._is_driven:  # what the driver has started may have left the group
            end_all(self._mark)
        sweep()  # it may have been killed in the middle of its work, with its sockets in a temporary folder

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when it has said something, or ended."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, order: Order) -> None:
        """Send it an order; nothing happens if it has ended, which is noticed by `read`."""
        assert self._process.stdin is not None
        if isinstance(order, Job):
            order = replace(order, handover=self._handover.fileno())
            self._is_driven = bool(order.exchange)
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(encode(order) + b"\n")

    def read(self) -> list[Report] | None:
        """Return what it has said since the last time; None if it has closed its output, as it ends."""
        data = os.read(self.fileno(), 1 << 16)
        if not data:
            return None
        try:
            return [*self._lines.feed(data)]
        except LineError as error:
            return [Failed(f"it said {error}")]

    def wait(self, seconds: float) -> int:
        """Wait until it has ended and return its exit code; end it after this time."""
        return self._process.end_within(seconds)

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error."""
        return self._process.last_words()

    def raw_values(self) -> int:
        """Return the file descriptor of the raw values that it has written, complete after `Done`."""
        return self._handover.fileno()
