"""The workers as their controller sees them."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from formicary.core.scratch import sweep
from formicary.processes.child import Child
from formicary.processes.lines import LineError, Lines, encode
from formicary.processes.messages import Failed
from formicary_bench.worker import leftovers
from formicary_bench.worker.messages import Job, Report

if TYPE_CHECKING:
    from types import TracebackType

    from formicary_bench.worker.messages import Order

_COMMAND = (sys.executable, "-P", "-m", "formicary_bench.worker.worker")


class Worker:
    """A worker's process on this machine; gone after the `with` block, whatever it is doing."""

    def __init__(self) -> None:
        self._mark = leftovers.marked_environment()
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
            leftovers.end_all(self._mark)
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
