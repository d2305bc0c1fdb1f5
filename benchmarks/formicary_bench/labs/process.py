"""Runs a student's program in a process of its own, which may hang or die without harming the checker.

Its arguments are the descriptor of a socket, the program's file, and the seconds of CPU time for loading it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formicary_bench.labs.confinement import confine
from formicary_bench.labs.exchange import Begin, Line, Loaded, Order, Over, Report
from formicary_bench.labs.performing import perform
from formicary_bench.labs.programs import Broken, load, quoted, running_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

PATIENCE = 5
"""How many times its CPU time a scenario may take by the clock, as other programs use the machine as well."""

_ENDLESS = ": is there an endless loop, or a loop without an `await` that waits?"


def serve(line: Line[Report, Order], path: Path, set_alarms: Callable[[float], None]) -> None:
    """Load a program, and run scenarios until the judge hangs up.

    Args:
        line: the connection to the judge.
        path: the program.
        set_alarms: sets the limit of CPU time in seconds after which this process ends; 0 for none.
    """
    try:
        program = load(path)
    except Broken as error:
        line.send(Loaded(str(error)))
        return
    line.send(Loaded(""))
    with contextlib.suppress(OSError, EOFError):
        while True:
            order = line.receive()
            if isinstance(order, Begin):
                set_alarms(order.seconds)
                perform(program, line, order)
                set_alarms(0)


class _Alarms:
    """Ends this process when it takes too much CPU time, or much longer by the clock."""

    def __init__(self, line: Line[Report, Order], path: Path) -> None:
        self._line = line
        self._path = path
        self._seconds = 0.0
        self._are_there = hasattr(signal, "setitimer")  # on Windows the judge alone notices
        if self._are_there:
            signal.signal(signal.SIGPROF, self._ring)
            signal.signal(signal.SIGALRM, self._ring)

    def set(self, seconds: float) -> None:
        """Set the limit of CPU time in seconds; 0 for none."""
        self._seconds = seconds
        if self._are_there:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)

    def _ring(self, _: int, frame: FrameType | None) -> None:
        line = running_line(self._path, frame)
        where = f" ({quoted(self._path, line)})" if line else ""
        problem = f"the program was still running after {self._seconds:g} s{_ENDLESS}{where}"
        self._line.send(Over(problem, hangs=True))
        os._exit(1)  # nothing else gets out of a loop that catches everything


def _connection(number: int) -> socket.socket:
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    os.set_inheritable(number, False)
    return socket.socket(fileno=number)


def main(number: int, path: Path, seconds: float) -> None:
    """Load a program and run scenarios, on the orders of a judge."""
    confine()
    line: Line[Report, Any] = Line(_connection(number), Order)
    alarms = _Alarms(line, path)
    alarms.set(seconds)
    serve(line, path, alarms.set)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
