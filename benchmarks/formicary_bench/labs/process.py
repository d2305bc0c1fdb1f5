"""The process in which a student's program is checked: it may hang, end or die without harm to the command.

It is given the program, the lab's check, the scenarios' names, a seed and seconds, and writes an outcome
after each scenario, a line of JSON, into a file.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.labs.mistakes import quoted, running_line
from formicary_bench.labs.playing import Outcome, load_scenarios, play
from formicary_bench.labs.programs import Broken, load

if TYPE_CHECKING:
    from types import FrameType

    from formicary_bench.labs.scenarios import Scenario


HUNG = 75
"""The exit code after a scenario that took too long, whose outcome says so."""

PATIENCE = 5
"""How many times longer a scenario may take by the clock than by CPU: others may use the machine, too."""

_ENDLESS = ": is there a loop without an end, or without an `await` that waits?"


class Order(msgspec.Struct, frozen=True):
    """What the process has to do.

    Attributes:
        program: the student's program.
        check: the lab's `check.py`.
        scenarios: the names of those that are to be played.
        outcomes: the file for what came of them.
        seed: of all chance in them.
        seconds: how much CPU time each may take.
    """

    program: str
    check: str
    scenarios: tuple[str, ...]
    outcomes: str
    seed: int
    seconds: float


def main(order: Order) -> None:
    """Load the program, play the scenarios, and write what came of them."""
    path = Path(order.program)
    known = load_scenarios(Path(order.check))
    scenarios = [known[name] for name in order.scenarios]
    current = scenarios[0]

    def too_long(_: int, frame: FrameType | None) -> None:
        line = running_line(path, frame)
        where = f" ({quoted(path, line)})" if line else ""
        _write(order, current, f"the program was still running after {order.seconds:g} s{_ENDLESS}{where}")
        os._exit(HUNG)  # nothing else gets out of a loop that catches everything

    signal.signal(signal.SIGPROF, too_long)
    signal.signal(signal.SIGALRM, too_long)
    _set_alarms(order.seconds)
    try:
        program = load(path)
    except Broken as error:
        for current in scenarios:
            _write(order, current, str(error))
        return
    for current in scenarios:
        _set_alarms(order.seconds)
        outcome = play(current, program, order.seed)
        _set_alarms(0)
        _append(order, outcome)


def _set_alarms(seconds: float) -> None:
    """Have what computes too long end, by its own time, and later what only waits; 0 for never."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)


def _write(order: Order, scenario: Scenario, problem: str) -> None:
    _append(order, Outcome(scenario.name, scenario.exercise, scenario.sentence, problem))


def _append(order: Order, outcome: Outcome) -> None:
    with Path(order.outcomes).open("ab") as file:
        file.write(msgspec.json.encode(outcome) + b"\n")


if __name__ == "__main__":
    main(msgspec.json.decode(sys.argv[1], type=Order))
