"""Profiles of programs whose split of CPU time is known, and how far they are off.

`python -m tests.integration.profiling.known PROFILES SECONDS LOAD` counts how often the intervals of so many
real profiles hold the truth: each of a program that uses so many seconds of CPU, beside so many processes
that want the processors.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from formicary.profiling.analysis.attribution import CpuTime, View, cpu_times
from formicary.profiling.model.groups import Rules, own_rule
from formicary.profiling.sampling.program import Program
from formicary.profiling.sampling.window import RATE, Window

HERE = Path(__file__).parent / "truth"
PROGRAMS = ("program", "waiting", "messages", "drawn")
SHARE = 0.3  # of the first group, where groups are drawn
GROUPS = ("agents", "communication", "directory", "platform")
RULES = Rules(
    [
        *(own_rule(f"harness={name}") for name in PROGRAMS),
        *(own_rule(f"{name}=work_{name}") for name in GROUPS),
    ]
)


def put_programs(folder):
    """Put the programs and the modules in which they work into a folder, and return it."""
    for name in PROGRAMS:
        shutil.copy(HERE / f"{name}.py", folder)
    for name in GROUPS:
        shutil.copy(HERE / "work.py", folder / f"work_{name}.py")
    return folder


@contextmanager
def load(number, seconds):
    """Keep the processors busy with some processes, which end by themselves if need be."""
    spin = f"import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end: pass"
    running = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(number)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def profile(words, rate, servers=()):
    """Return the profile of a program, from its first line to its last."""
    with (
        Program([str(word) for word in words]) as program,
        Window(program.pid, rate=rate, servers=servers) as window,
    ):
        program.begin_window()
        program.start()
        window.wait(None, program.is_at_its_end)
        measured = window.end(program.end_window)
    assert program.exit_code == 0
    return measured


def measure(folder, scenario, seconds, rate=RATE, script="program.py"):
    """Return the profile of a scenario, and how many seconds each group really used."""
    truth = folder / f"{scenario}.json"
    measured = profile([folder / script, scenario, seconds, truth], rate)
    return measured, json.loads(truth.read_text())


def errors(measured, really, rules=RULES):
    """Return how many points each group is off, and how wide its interval is on each side."""
    by_name = {used.name: used for used in cpu_times(measured, View.GROUP, rules)}
    whole = sum(really.values())
    found = {name: by_name.get(name, CpuTime(name, 0.0, 0.0, 0.0)) for name in really}
    return {
        name: ((used.cpu_s - really[name]) / whole, used.margin_s / whole) for name, used in found.items()
    }


def count_held(folder, profiles, seconds):
    """Profile a program some times that works for two groups, each time for one that is drawn anew.

    Returns:
        In how many of the profiles the interval of the first group held the program's share, and in how many
        what the window really had, by the thread's clock.
    """
    of_program = of_window = 0
    for _ in range(profiles):
        truth = folder / "drawn.json"
        measured = profile([folder / "drawn.py", SHARE, seconds, truth], RATE)
        really = json.loads(truth.read_text())
        off, margin = errors(measured, really)["agents"]
        of_window += abs(off) <= margin
        of_program += abs(off + really["agents"] / sum(really.values()) - SHARE) <= margin
    return of_program, of_window


if __name__ == "__main__":
    number, cpu_s, busy = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as made, load(busy, 3600):
        of_program, of_window = count_held(put_programs(Path(made)), number, cpu_s)
    sys.stdout.write(f"{of_program} of {number} hold the program's share, {of_window} what the window had\n")
