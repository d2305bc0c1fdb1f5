"""Checks a student's program: starts its process, plays the scenarios, and cleans up."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Self

from formicary.processes.child import Child
from formicary.processes.words import ended_how
from formicary_bench.labs.confinement import judging
from formicary_bench.labs.examinee import Examinee
from formicary_bench.labs.exchange import Line, Order, Report
from formicary_bench.labs.playing import SECONDS, Outcome, load_scenarios, play
from formicary_bench.labs.process import PATIENCE
from formicary_bench.labs.programs import Broken

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from formicary_bench.labs.material import Lab
    from formicary_bench.labs.scenarios import Scenario

_IS_WINDOWS = sys.platform == "win32"  # where another process gets a socket by its standard input
_START = 30.0  # seconds for Python to start
_GRACE = 3.0  # seconds for a program that hangs to be noticed by itself


def check(
    lab: Lab, program: Path, *, seed: int, exercise: int | None = None, seconds: float = SECONDS
) -> Generator[Outcome]:
    """Play a lab's scenarios with a student's program in a process of its own; yield their outcomes.

    A program that hangs or ends its process fails that scenario; the others are played with a new process.
    """
    scenarios = load_scenarios(lab)
    left = [each for each in scenarios.values() if exercise in {None, each.exercise}]
    while left:
        with judging(), _Process(program.resolve(), seconds) as process:
            for outcome in _played(process, left, seed, seconds):
                left.pop(0)
                yield outcome


def _played(process: _Process, scenarios: list[Scenario], seed: int, seconds: float) -> Iterator[Outcome]:
    """Play scenarios until the process can no longer be used."""
    examinee = process.examinee
    try:
        problem = examinee.loaded()
    except Broken as error:  # this process is no use, and another one would be as little
        problem = str(error)
    for scenario in tuple(scenarios):
        if problem:
            yield Outcome(scenario.name, scenario.exercise, scenario.sentence, False, problem)
            continue
        process.wait_for(seconds)
        yield play(scenario, examinee, seed, seconds)
        if examinee.is_gone:
            return


class _Process:
    """The process of a program: `with _Process(program, seconds) as process`."""

    def __init__(self, program: Path, seconds: float) -> None:
        self._ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "formicary_bench.labs.process", str(theirs.fileno())]
        with theirs:
            self._process = Child(
                [*command, str(program), str(seconds)],
                cwd=program.parent,
                stdin=subprocess.PIPE if _IS_WINDOWS else subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[] if _IS_WINDOWS else [theirs.fileno()],
            )
            if sys.platform == "win32":
                assert self._process.stdin is not None
                with self._process.stdin as given:
                    given.write(theirs.share(self._process.pid))
        self._line: Line[Order, Report] = Line(self._ours, Report, lambda: self._process.poll() is None)
        self.examinee = Examinee(self._line, self._how_it_ended)
        self.wait_for(seconds, _START)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        with self._ours, self._process:
            pass

    def wait_for(self, seconds: float, grace: float = _GRACE) -> None:
        """Set how long the process may stay silent from now on: by CPU time, and some grace."""
        self._line.deadline = time.monotonic() + seconds * PATIENCE + grace

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "the program closed the connection to the checker"
        if code < 0:
            return f"the program's process {ended_how(code)}"
        return f"the program has ended its process with exit code {code}, so nothing could be checked"
