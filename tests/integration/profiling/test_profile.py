"""`formicary profile` on programs that run, and on programs that it starts."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from xml.etree import ElementTree as ET

import psutil
import pytest

BUSY = """\
import sys, time
print("busy", flush=True)
def spin():
    while time.process_time() < float(sys.argv[1]):
        sum(range(1000))
spin()
"""
# With seconds of CPU, which a busy machine takes longer to give, and how much agents do beside talking.
AGENTS = """\
import time
from formicary import Agent, CyclicBehaviour, Message

class Echo(CyclicBehaviour):
    lists = 500
    async def run(self):
        message = await self.receive()
        [[] for _ in range(self.lists * {work})]
        await self.reply(message)
        if time.process_time() > {seconds}:
            await self.agent.stop()

class Ask(Echo):
    lists = 2500
    async def on_start(self):
        await self.send(Message(to="echo@c1.lab.localhost"))

echo = Agent("echo")
echo.add_behaviour(Echo())
ask = Agent("ask")
ask.add_behaviour(Ask())
"""


def by_name(done):
    return {figure["name"]: figure for figure in json.loads(done.stdout)["figures"]}


def test_a_script_runs_and_its_time_is_shown(script, profile, tmp_path):
    flame, speedscope = tmp_path / "flame.svg", tmp_path / "speedscope.json"
    done = profile("--flame", flame, "--speedscope", speedscope, "--", script(BUSY), "0.5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("busy\n")
    row = next(line.split() for line in done.stdout.splitlines() if line.startswith("agents"))
    assert row[1] == "mas"
    assert float(row[-1]) > 50
    assert ET.parse(flame).getroot().tag.endswith("svg")
    assert json.loads(speedscope.read_bytes())["profiles"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flame.svg", "program.py", "speedscope.json"]


def test_json_is_all_that_stands_on_standard_output(script, profile):
    done = profile("--json", "--group", "mine=program", "--", script(BUSY), "0.5")
    assert done.returncode == 0, done.stderr
    assert "busy" in done.stderr
    answer = json.loads(done.stdout)
    assert (answer["method"], answer["by"], answer["is_partial"]) == ("sampled", "group", False)
    assert sum(f["cpu_s"] for f in answer["figures"]) == pytest.approx(
        sum(p["cpu_s"] for p in answer["processes"])
    )
    assert by_name(done)["mine"]["share"] > 0.5


def test_agents_of_a_script_that_formicary_runs(script, profile):
    agents = script(AGENTS.format(seconds=1.5, work=6))
    done = profile("--json", "--by", "agent", "--", "run", agents)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["method"] == "accounted"
    seconds = {name: figure["cpu_s"] for name, figure in by_name(done).items()}
    assert 2 < seconds["ask/Ask"] / seconds["echo/Echo"] < 8  # one makes five times as many lists


def test_a_platform_that_runs_already(script, profile, started):
    agents = script(AGENTS.format(seconds=1000, work=1))
    program = ["-c", "from formicary.cli import main; main()", "run", agents]
    running = started(sys.executable, *program, stderr=subprocess.PIPE)
    assert "press Ctrl-C to stop" in running.stderr.readline()
    seconds, threads = Counter(), set()
    # A busy machine gives it little time in a window: few samples are taken, perhaps all in the agents.
    while not (seconds["platform"] and seconds["agents"]):
        done = profile("--json", "--pid", running.pid, "--for", "1")
        assert done.returncode == 0, done.stderr
        seconds.update({name: figure["cpu_s"] for name, figure in by_name(done).items()})
    while not any("(loop, " in name for name in threads):
        threads |= by_name(profile("--json", "--by", "thread", "--pid", running.pid, "--for", "1")).keys()
    assert running.poll() is None  # it runs on


def test_a_program_is_ended_when_the_time_is_over(script, profile):
    done = profile("--json", "--for", "1", "--", "run", script(AGENTS.format(seconds=1000, work=1)))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["figures"]


def test_children_are_measured_too(script, profile):
    # A fork is Python at once: py-spy waits a tenth of a second for a process to become it, and no longer.
    forks = BUSY.removesuffix("spin()\n") + "import os\nif os.fork():\n    os.wait()\nelse:\n    spin()\n"
    done = profile("--json", "--", script(forks), "0.8")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["processes"]) == 2
    assert by_name(done)["agents"]["cpu_s"] > 0.4


def test_the_programs_exit_code_is_the_commands(script, profile):
    done = profile("--", script(BUSY + "sys.exit(7)"), "0.3")
    assert done.returncode == 7
    assert "agents" in done.stdout


def test_ctrl_c_ends_it_and_shows_what_there_is(script, started):
    command = [sys.executable, "-c", "from formicary.cli import main; main()", "profile", "--json", "--"]
    running = started(*command, script(BUSY), "100", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while "busy" not in running.stderr.readline():
        assert running.poll() is None
    children = psutil.Process(running.pid).children()
    child = next(child for child in children if "sampling.child" in " ".join(child.cmdline()))
    while sum(child.cpu_times()[:2]) < 0.5:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert "Traceback" not in errors
    assert json.loads(output)["figures"]
    assert not child.is_running()


def test_rules_are_printed(profile):
    done = profile("--rules", "--group", "planner=my_planner.*")
    assert done.returncode == 0
    assert "my_planner.*" in done.stdout
    assert "formicary.directory.*" in done.stdout
