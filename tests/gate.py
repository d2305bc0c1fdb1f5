"""The gate: all checks and the first tier of the tests, side by side.

    python -m tests.gate                       as `python3 deploy/bootstrap.py test` does
    python -m tests.gate lint types            some parts of it
    python -m tests.gate -- -m "not server"    with arguments for pytest: without the tests that need Prosody

If a part fails, the others still run; the exit code is 0 only if all of them passed. What the tests cost is
reported last (`tests/costs.py`), and the output of each part is kept in `.reports/`.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests import costs
from tests.costs import say
from tests.plugins.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

REPORTS = ROOT / ".reports"

CHECKS = {
    "lint": [["ruff", "check"], ["ruff", "format", "--check"]],
    "types": [["mypy"]],
    "docs": [["sphinx", "-q", "-n", "-W", "--keep-going", "docs", "docs/_build"]],
}

# Tests of a file stay together: they share servers, and pages share their names. Files come in the order of
# their names: by itself xdist begins those with few tests last, and some of them take longest.
_IN_ORDER = ("--dist", "loadfile", "--no-loadscope-reorder")
# Each process of a part collects all tests of it, which takes a while where there are thousands: few of them
# for what computes, many for what mostly waits.
PARTS = {
    "faults": ["tests/faults", "--numprocesses", "3", *_IN_ORDER],
    "integration": ["tests/integration", "--numprocesses", "6", *_IN_ORDER],
    "computing": [
        *("tests/unit", "tests/property", "tests/simulation", "docs", "README.md"),
        *("--numprocesses", "3", *_IN_ORDER),
    ],
}
# Tests that wait for other processes may give them up when the machine is busy, so those that only compute
# run at a lower priority (niceness, see nice(1)).
_NICENESS = {"faults": 0, "integration": 2}
_NICEST = 4  # any more, and it would starve on a busy machine
_PROGRESS = re.compile(r"([.sxXFE]+) *\[ *(\d+)%\]$")  # a line of pytest
_SAID_EVERY = 10  # per cent
_INTERRUPTED = 130


class Part:
    """A part of the gate: commands that run one after the other until one fails.

    Args:
        name: what to call it.
        commands: what follows `python -m` in each.
    """

    def __init__(self, name: str, commands: Sequence[Sequence[str]]) -> None:
        self.name = name
        self._commands = commands
        self._child: subprocess.Popen[str] | None = None
        self._is_ended = False
        self.passed = False
        self._told = self._failed = 0

    def run(self) -> None:
        """Run the commands, report progress, and print their output once they have ended."""
        start = time.monotonic()
        with (REPORTS / f"{self.name}.txt").open("w+", encoding="utf-8") as output:
            self.passed = all(self._run(command, output) for command in self._commands)
            output.seek(0)
            outcome = "passed" if self.passed else "FAILED"
            say(f"{output.read()}gate: {self.name} {outcome} after {time.monotonic() - start:.0f} s")

    def end(self) -> None:
        """Interrupt the running command, as Ctrl-C would, so that it cleans up."""
        self._is_ended = True
        if self._child is not None and self._child.poll() is None:
            self._child.send_signal(signal.SIGINT)

    def _run(self, command: Sequence[str], output: object) -> bool:
        if self._is_ended:
            return False
        niceness = str(_NICENESS.get(self.name, _NICEST))
        self._child = subprocess.Popen(
            ["nice", "-n", niceness, sys.executable, "-m", *command],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        assert self._child.stdout is not None
        with self._child, self._child.stdout as lines:
            for line in lines:
                output.write(line)
                self._tell(line)
        return self._child.returncode == 0

    def _tell(self, line: str) -> None:
        """Report progress every ten per cent."""
        if progress := _PROGRESS.match(line):
            self._failed += len(re.findall("[FE]", progress[1]))
            percent = int(progress[2])
            if percent >= self._told + _SAID_EVERY and percent < 100:
                self._told = percent
                failed = f", {self._failed} failed" if self._failed else ""
                say(f"gate: {self.name} {percent}%{failed}")


def parts(names: Sequence[str], arguments: Sequence[str]) -> list[Part]:
    """Return the parts that are asked for, or all of the gate.

    Args:
        names: which; none for all.
        arguments: for pytest.
    """
    colour = "yes" if sys.stdout.isatty() and "NO_COLOR" not in os.environ else "no"
    tests = [
        Part(name, [["pytest", *selected, f"--costs={REPORTS / name}.json", f"--color={colour}", *arguments]])
        for name, selected in PARTS.items()
    ]
    known = [*tests, *(Part(name, commands) for name, commands in CHECKS.items())]
    if unknown := {*names} - {part.name for part in known}:
        sys.exit(f"gate: no part is called {min(unknown)}: take {', '.join(part.name for part in known)}")
    return [part for part in known if part.name in names or not names]


def main(arguments: Sequence[str]) -> int:
    """Run all parts side by side and give the exit code."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    all_parts = parts(arguments[:split], arguments[split + 1 :])
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    start = time.monotonic()
    with ThreadPoolExecutor(len(all_parts)) as side_by_side:
        try:
            for running in [side_by_side.submit(part.run) for part in all_parts]:
                running.result()
        except KeyboardInterrupt:
            for part in all_parts:
                part.end()
            say("gate: interrupted")
            return _INTERRUPTED
    if any(REPORTS.glob("*.json")):
        costs.report(REPORTS, within_budgets="--full" not in arguments)
    failed = [part.name for part in all_parts if not part.passed]
    outcome = "FAILED" if failed else "passed"
    say("", f"gate: {outcome} after {time.monotonic() - start:.0f} s {' '.join(failed)}".rstrip())
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
