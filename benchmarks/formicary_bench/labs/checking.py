"""Checks a student's program: starts the process in which scenarios are played, and hears of each."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec

from formicary.core.scratch import scratch_folder
from formicary_bench.labs.playing import Outcome, load_scenarios
from formicary_bench.labs.process import HUNG, PATIENCE, Order

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary_bench.labs.material import Lab

SECONDS = 10.0
"""How long a scenario may take, by itself; in virtual time it needs a fraction of one."""

_GRACE = 30.0  # seconds for Python to start, and for one that hangs to be noticed by itself


def check(
    lab: Lab, program: Path, *, exercise: int | None = None, seed: int = 0, seconds: float = SECONDS
) -> Iterator[Outcome]:
    """Play a lab's scenarios with a student's program, in a process of its own, and give each one's outcome.

    A program that hangs, or ends its process, fails the scenario in which it does; the others are played
    with a new process.

    Args:
        lab: the lab.
        program: the student's file.
        exercise: only the scenarios of this exercise.
        seed: of all chance in them.
        seconds: how long each may take.
    """
    scenarios = load_scenarios(lab.folder / "check.py")
    left = [each for each in scenarios.values() if exercise in {None, each.exercise}]
    while left:
        outcomes, ending = _in_process(lab, program, tuple(each.name for each in left), seed, seconds)
        yield from outcomes
        left = left[len(outcomes) :]
        if left and ending:
            gone = left.pop(0)
            yield Outcome(gone.name, gone.exercise, gone.sentence, ending)


def _in_process(
    lab: Lab, program: Path, names: tuple[str, ...], seed: int, seconds: float
) -> tuple[list[Outcome], str]:
    with scratch_folder() as folder:
        path, written = program.resolve(), folder / "outcomes.jsonl"
        order = Order(str(path), str(lab.folder / "check.py"), names, str(written), seed, seconds)
        told = msgspec.json.encode(order).decode()
        command = [sys.executable, "-P", "-m", "formicary_bench.labs.process", told]
        try:
            done = subprocess.run(  # noqa: S603 -- our own module
                command,
                cwd=path.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=len(names) * seconds * PATIENCE + _GRACE,
                check=False,
            )
            ending = _how_it_ended(done.returncode)
        except subprocess.TimeoutExpired:
            ending = "the program blocks its process, which had to be killed"
        lines = written.read_bytes().splitlines() if written.exists() else []
    return [msgspec.json.decode(line, type=Outcome) for line in lines], ending


def _how_it_ended(code: int) -> str:
    if code == HUNG:  # the last outcome says so
        return ""
    if code < 0:
        return f"the program's process was ended by signal {-code}"
    return f"the program has ended its process with exit code {code}, so nothing could be checked"
