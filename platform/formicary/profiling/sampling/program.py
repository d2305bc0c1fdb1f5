"""Starts a program to profile, and measures it from its first line to its last."""

from __future__ import annotations

import mmap
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from formicary.core.errors import ProfilingError, UsageError
from formicary.processes.messages import Go, Ready
from formicary.profiling.sampling.control import ControlChannel, Over, Report, WindowFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS_TO_START = 30.0
_SECONDS_TO_ANSWER = 10.0
_SECONDS_TO_STOP = 5.0


def check_command(command: Sequence[str]) -> None:
    """Check that a command is a program to profile.

    Raises:
        UsageError: there is no such script.
    """
    first = command[0]
    if first not in {"run", "-m"} and not Path(first).is_file():
        raise UsageError(f"no script {first}; specify a script, -m MODULE or run SCRIPT")
    if first in {"run", "-m"} and len(command) == 1:
        raise UsageError(f"{first} needs a name after it")


def end(process: subprocess.Popen[bytes], seconds: float = 0.0) -> None:
    """End a process that does not end within some seconds, by escalating signals."""
    for order in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(order)
        seconds = _SECONDS_TO_STOP
    process.wait()


def exit_code(process: subprocess.Popen[bytes]) -> int:
    """Return the exit code of an ended process; 128 plus the number for a signal, as in shells."""
    code: int = process.returncode
    return code if code >= 0 else 128 - code


class Program:
    """A Python program that waits before its start, and at its end until it was measured.

    Args:
        command: a script, or `-m` and a module, or `run` as of `formicary run`; and its arguments.
        is_quiet: whether its output goes to standard error.

    Raises:
        UsageError: there is no such script.
        ProfilingError: on entering: Python does not start.
    """

    def __init__(self, command: Sequence[str], *, is_quiet: bool = False) -> None:
        check_command(command)
        self._command = command
        self._is_done = False
        self._output = sys.stderr if is_quiet else None

    def __enter__(self) -> Self:
        ours, theirs = socket.socketpair()
        self._channel = ControlChannel(ours)
        with theirs, tempfile.TemporaryFile() as shared:
            shared.truncate(1)
            self._is_open = mmap.mmap(shared.fileno(), 1)
            descriptors = [theirs.fileno(), shared.fileno()]
            python = [sys.executable, "-m", "formicary.profiling.sampling.child", *map(str, descriptors)]
            self._process = subprocess.Popen(  # noqa: S603 -- as the user asks
                [*python, *self._command], pass_fds=descriptors, stdout=self._output
            )
        try:
            is_ready = isinstance(self._channel.receive(_SECONDS_TO_START), Ready)
        except BaseException:
            self.__exit__()
            raise
        if not is_ready:
            self.__exit__()
            raise ProfilingError("Python did not start; see its output above")
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()
        self._is_open.close()
        end(self._process, _SECONDS_TO_STOP if self._is_done else 0.0)

    @property
    def pid(self) -> int:
        """The program's process ID."""
        return self._process.pid

    @property
    def exit_code(self) -> int:
        """How it ended; known after the block."""
        return exit_code(self._process)

    def start(self) -> None:
        """Start the program."""
        self._channel.send(Go())

    def begin_window(self) -> None:
        """Begin the window, in which the program measures what only it knows."""
        self._is_open[0] = 1

    def is_at_its_end(self) -> bool:
        """Return at once whether it waits at its end, or is gone."""
        if not self._is_done and self._channel.has_message():
            self._is_done = self._channel.receive(_SECONDS_TO_ANSWER) in (Over(), None)
        return self._is_done

    def end_window(self) -> WindowFacts | None:
        """End the window, and return what only the program knows about it; None if it does not answer."""
        self._is_open[0] = 0
        if not self._channel.send(Report()):
            return None
        while said := self._channel.receive(_SECONDS_TO_ANSWER):
            if isinstance(said, WindowFacts):
                return said
            self._is_done = True
        return None
