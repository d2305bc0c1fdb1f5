"""`formicary run --containers`: a script's agents over several processes, as it is typed."""

from __future__ import annotations

import os
import re
import signal
import subprocess

import pytest
from tests.integration.cli.platforms import RUN, call

SCRIPT = """\
import os
import random
import sys
from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour

class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="echo", body="hello"))
        reply = await self.receive(timeout=60)
        print(self.agent.address, reply.body, reply.sender, flush=True)
        await self.send(Message(to="echo", body="stop"))
        await self.agent.stop()

class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        if message.body == "stop":
            await self.agent.stop()
        else:
            await self.reply(message, body=message.body)

class Stay(CyclicBehaviour):
    async def run(self):
        print("waits", os.getpid(), flush=True)
        await self.receive()

    async def on_end(self):
        print("ends", flush=True)

class Do(OneShotBehaviour):
    def __init__(self, function):
        super().__init__()
        self.function = function

    async def run(self):
        self.function()

def agent(name, *behaviours):
    made = Agent(name)
    for behaviour in behaviours:
        made.add_behaviour(behaviour)
    return made

"""


@pytest.fixture
def script(tmp_path):
    def write(text):
        path = tmp_path / "agents.py"
        path.write_text(SCRIPT + text, encoding="utf-8")
        return path

    return write


def run(*arguments):
    return subprocess.run([*RUN, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_agents_are_spread_and_find_each_other(script):
    ended = run(script("echo, ask = agent('echo', Echo()), agent('ask', Ask())"), "--containers", "2")
    assert ended.stderr == "main.lab.localhost: echo, ask, in 2 containers; press Ctrl-C to stop\n"
    assert ended.stdout == "ask@c2.lab.localhost hello echo@c1.lab.localhost\n"
    assert ended.returncode == 0


def test_ctrl_c_ends_all_in_order(script):
    path = script("a, b, c = (agent(name, Stay()) for name in 'abc')")
    with subprocess.Popen(
        [*RUN, str(path), "--containers", "2", "--name", "lobby"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate()
    assert len({*lines}) == 2
    assert all(re.fullmatch(r"waits \d+\n", line) for line in lines)  # whole ones, unbuffered as they are
    assert said == "ends\n" * 3
    assert errors.splitlines()[0] == "lobby.lab.localhost: a, b, c, in 2 containers; press Ctrl-C to stop"
    assert process.returncode == 130


def test_failures_dead_letters_and_the_end_are_those_of_all(script):
    text = (
        "def fail():\n    raise ValueError('three')\n"
        "class Send(OneShotBehaviour):\n"
        "    async def run(self):\n"
        "        await self.send(Message(to='nobody'))\n"
        "        await self.receive()\n"
        "        await self.send(Message(to='failing'))\n"
        "        await self.agent.stop()\n"
        "class End(OneShotBehaviour):\n"
        "    async def run(self):\n"
        "        await self.receive()\n"
        "        await self.agent.stop()\n"
        "failing, send = agent('failing', Do(fail), End()), agent('send', Send())\n"
    )
    ended = run(script(text), "--containers", "2")
    assert ended.returncode == 1
    assert "\nc1: behaviour Do of agent failing ended with an exception\n" in ended.stderr
    assert "ValueError: three" in ended.stderr
    assert ended.stderr.endswith(
        "dead letters: 1\n  1 x no agent named 'nobody' lives on this local platform\n"
    )


def test_an_exit_code_is_that_of_all(script):
    ended = run(script("a, b = agent('a', Stay()), agent('b', Do(lambda: sys.exit(5)))"), "--containers", "2")
    assert ended.returncode == 5


def test_a_killed_container_is_reported_and_the_others_continue(script):
    text = (
        "class Outlive(Stay):\n"
        "    async def run(self):\n"
        "        await self.send(Message(to='b'))\n"
        "        if await self.receive(timeout=0.1):  # it was not delivered\n"
        "            await self.agent.stop()\n"
        "a, b = agent('a', Outlive()), agent('b', Do(lambda: os.kill(os.getpid(), 9)))"
    )
    ended = run(script(text), "--containers", "2")
    assert ended.returncode == 1
    assert re.search(
        r"ERROR formicary: container c2 \(process \d+\) was killed .*; lost agents: b\n", ended.stderr
    )
    assert ended.stdout.endswith("ends\n")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a = agent('a')", ["--containers", "0"], "a local platform must have at least one container, not 0"),
        ("a = agent('a')", ["--containers", "2", "--join", "c9"], "omit --join"),
        (
            "a = agent('a')",
            ["--containers", "2", "--cpu-by-group"],
            "omit --cpu-by-group, or omit --containers and --launcher",
        ),
        ("", ["--containers", "1"], "has no agents; create one at its top level"),
        ("1 / 0", ["--containers", "1"], "ZeroDivisionError: division by zero"),
        ("a = agent(f'a{os.getpid()}')", ["--containers", "2"], "so give the agents fixed names"),
    ],
)
def test_bad_input_is_one_sentence(script, text, options, said):
    ended = call("run", script(text), *options)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_a_script_there_has_to_be_a_way_in():
    ended = call("run", "--containers", "2", "--allow-create", "json")
    assert (ended.returncode, "add --listen, or a script" in ended.stderr) == (2, True)
    ended = call("run", "--containers", "2")
    assert (ended.returncode, "nothing to run" in ended.stderr) == (2, True)


def test_where_it_listens_its_containers_can_be_asked_and_have_agents_created(lab):
    with lab.run("--containers", "2", "--listen"):
        lab.until(lambda: "cell@c2" in lab.said("agents"))
        lab.until(lambda: "laser@c1" in lab.said("df", "list"))
        assert (
            lab.said("create", "shop:Printer", "ink", "--container", "c2") == "created ink@c2.lab.localhost\n"
        )
        assert lab.said("move", "cell@c2", "c1").endswith("\n")
        assert "cell@c2.lab.localhost active c1" in " ".join(lab.said("agents").split())


CYCLES = """\
from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour

class Ping(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="pong"))
        sender = (await self.receive(timeout=60)).sender
        container = self.agent.container
        print(container.name, sender, container.mode, container.scheduler.cycle, flush=True)
        await self.send(Message(to="pong", performative="cancel"))
        await self.agent.stop()

class Pong(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        if message.performative == "cancel":
            await self.agent.stop()
        else:
            await self.reply(message)

pong, ping = Agent("pong"), Agent("ping")
pong.add_behaviour(Pong())
ping.add_behaviour(Ping())
"""


@pytest.mark.parametrize(
    ("how", "options", "said"),
    [
        (call, ["run"], "c1 pong@c1.lab.localhost asynchronous 0\n"),
        (call, ["run", "--mode", "synchronous"], "c1 pong@c1.lab.localhost synchronous 3\n"),
        (run, ["--mode", "synchronous", "--containers", "2"], "c2 pong@c1.lab.localhost synchronous 3\n"),
        (run, ["--mode", "pooled", "--containers", "2"], "c2 pong@c1.lab.localhost asynchronous 0\n"),
    ],
)
def test_the_mode_is_an_option_and_the_script_the_same(tmp_path, how, options, said):
    script = tmp_path / "pair.py"
    script.write_text(CYCLES)
    done = how(*options, script)
    assert (done.returncode, done.stdout) == (0, said)
