"""The workers as their controller sees them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Self

from msgspec.structs import replace

from formicary.core.scratch import sweep
from formicary_bench.worker import leftovers
from formicary_bench.worker.messages import Job, decode_reports, encode

if TYPE_CHECKING:
    from types import TracebackType

    from formicary_bench.worker.messages import Order, Report

_COMMAND = (sys.executable, "-P", "-m", "formicary_bench.worker.worker")
_LAST_WORDS = 2000  # bytes at the end of its standard error that are looked at
_LONGEST_LINE = 300


class Worker:
    """A worker's process on this machine; gone after the `with` block, whatever it is doing."""

    def __init__(self) -> None:
        self._rest = b""
        self._files = ExitStack()
        self._mark = leftovers.marked_environment()
        self._is_driven = False

    def __enter__(self) -> Self:
        # A file, not a pipe: a worker that complains without end must not block.
        self._errors = self._files.enter_context(tempfile.TemporaryFile())
        try:
            self._handover = self._files.enter_context(tempfile.TemporaryFile())
            self._process = subprocess.Popen(  # noqa: S603 -- this interpreter, with arguments of our own
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                pass_fds=[self._handover.fileno()],
                env=self._mark,
                start_new_session=True,  # Ctrl-C is for the controller, which ends its workers itself
            )
        except BaseException:
            self._files.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Leaving it closes the pipes and waits for the end. What the worker has started itself, another
        # platform's driver, is in its group and must go with it.
        with self._files, self._process, contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
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
        *lines, self._rest = (self._rest + data).split(b"\n")
        return decode_reports(lines)

    def wait(self, seconds: float) -> int:
        """Wait until it has ended and return its exit code; end it after this time."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def last_words(self) -> str:
        """Return the last line that it wrote to standard error."""
        return last_line(self._errors)

    def raw_values(self) -> int:
        """Return the file descriptor of the raw values that it has written, complete after `Done`."""
        return self._handover.fileno()


def last_line(file: IO[bytes]) -> str:
    """Return the last line of a file that says anything; its beginning, if it is long."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LAST_WORDS))
    lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip()[:_LONGEST_LINE] for line in reversed(lines) if line.strip()), "")


def ended_how(code: int) -> str:
    """Say how a process ended, from its exit code, negative for a signal."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
