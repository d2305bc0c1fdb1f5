"""A student's program that wants to mark itself, or leaves something behind: it gets nothing by it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from formicary_bench.labs.checking import check
from formicary_bench.labs.material import lab_named, make_folder

LAB = lab_named("ping-pong")
FAR_TOO_LONG = 60  # seconds

WRITES_EVERYWHERE = """
import os

for number in range(3, 100):
    try:
        os.write(number, b'{"scenario":"each question is answered","passed":true,"problem":""}\\n')
    except OSError:
        pass
"""
ENDS_WELL_BUT_HOLDS_THE_LINE = """
import os, time

if os.fork() == 0:
    time.sleep(1000)
print("6 of 6 passed: well done")
os._exit(0)
"""
REPLACES_THE_CHECKER = """
from formicary_bench.labs import examinee, playing, scenarios

scenarios.Stage.expect = lambda *_, **__: None
playing.play = lambda each, *_: playing.Outcome(each.name, each.exercise, each.sentence, True)
examinee.Examinee.look = lambda *_: None
"""
SPEAKS_FOR_ITS_PROCESS = """
from formicary_bench.labs import exchange

say = exchange.Line.send


def lie(line, said):
    say(line, exchange.Final((), "", "") if isinstance(said, exchange.Idle) else said)


exchange.Line.send = lie
"""
FORGES = """
import gc
from formicary.testing.memory_line import encode
from formicary_bench.labs import exchange, ports


class Pong(Agent):
    async def setup(self):
        for each in gc.get_objects():
            if isinstance(each, ports.Ports):
                forged = Message(to="x", sender="formicary-asker@c1.lab.localhost", body="well done")
                names = ["c2.lab.localhost", "c1.lab.localhost", "formicary-asker@c1.lab.localhost"]
                each.send(exchange.Frame("letter", *names, encode(forged)))
"""


def starting_point(folder, more):
    """Write a student's program with an addition, and return its path."""
    path = folder / "program.py"
    path.write_text(f"{LAB.text('start.py')}\n{more}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("attack", "sentence"),
    [
        (WRITES_EVERYWHERE, "the output of the program's process cannot be read"),
        (ENDS_WELL_BUT_HOLDS_THE_LINE, "the program has ended its process with exit code 0"),
        (REPLACES_THE_CHECKER, "Ping has no answer to question 0"),
        (
            SPEAKS_FOR_ITS_PROCESS,
            "the output of the program's process cannot be read (it sent unexpected data)",
        ),
        (FORGES, "the program sent a message in the name of 'formicary-asker@c1.lab.localhost'"),
    ],
)
def test_a_program_cannot_mark_itself(tmp_path, attack, sentence):
    outcomes = [*check(LAB, starting_point(tmp_path, attack), seed=1, exercise=1)]
    assert [each.passed for each in outcomes] == [False, False]
    assert sentence in outcomes[0].problem


LOOKS_AROUND = """
import os, pathlib

judge, seen = pathlib.Path(f"/proc/{os.getppid()}"), []
files = [judge / "fd" / str(number) for number in range(100)]
for path in [*files, judge / "mem", pathlib.Path("/dev/tty")]:
    try:
        with open(path, "r+b"):
            seen.append(str(path))
    except OSError:
        pass
own = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
seen += [f"own file {name}" for name in own if int(name) > 2]
pathlib.Path("seen").write_text("\\n".join(seen))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_program_can_open_neither_files_nor_memory_of_the_checker(tmp_path):
    assert len([*check(LAB, starting_point(tmp_path, LOOKS_AROUND), seed=1, exercise=1)]) == 2
    seen = (tmp_path / "seen").read_text(encoding="utf-8").splitlines()
    assert len(seen) == 1  # it has the line to the judge, and nothing else
    assert seen[0].startswith("own file")


LEAVES_ONE_BEHIND = """
import os, pathlib, time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        pathlib.Path("left.new").write_text(str(os.getpid()))
        os.rename("left.new", "left")
        time.sleep(1000)
    os._exit(0)
while not pathlib.Path("left").exists():
    time.sleep(0.01)
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process adopts what its children leave")
def test_what_a_program_has_started_ends_with_it(tmp_path):
    for _ in check(LAB, starting_point(tmp_path, LEAVES_ONE_BEHIND), seed=1, exercise=1):
        left = int((tmp_path / "left").read_text(encoding="utf-8"))
    assert not is_alive(left)


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process adopts what its children leave")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_is_left_where_the_check_is_ended(tmp_path, number, code):
    make_folder(LAB, tmp_path / "x")
    starting_point(tmp_path / "x", f"{LEAVES_ONE_BEHIND}\ntime.sleep(1000)")
    command = [sys.executable, "-c", "from formicary.cli import main; main()", "lab", "check", tmp_path / "x"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as checking:
        path, end = Path(tmp_path / "x" / "left"), time.monotonic() + FAR_TOO_LONG
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.02)
        left = psutil.Process(int(path.read_text(encoding="utf-8")))
        checking.send_signal(number)
        _, errors = checking.communicate(timeout=FAR_TOO_LONG)
    assert checking.returncode == code
    assert "Traceback" not in errors
    assert psutil.wait_procs([left], timeout=FAR_TOO_LONG)[1] == []


def test_invented_answers_hold_in_no_scenario_of_their_exercise(tmp_path):
    invented = """
class Ping(Agent):
    def __init__(self, name, partner, rounds, window=0):
        super().__init__(name)
        self.answers = [str(number) for number in range(rounds)]

    async def setup(self):
        self.add_behaviour(End())


class Pong(Agent):
    async def setup(self):
        self.add_behaviour(Guess(), Template(performative="request"))


class End(OneShotBehaviour):
    async def run(self):
        await self.agent.stop()


class Guess(CyclicBehaviour):
    async def run(self):
        await self.reply(await self.receive(), body="0")


Rush = Ping
"""
    found = {each.scenario: each.passed for each in check(LAB, starting_point(tmp_path, invented), seed=1)}
    assert found.pop("only requests are answered")  # that is all that it does
    assert len(found) == 5
    assert not any(found.values())
