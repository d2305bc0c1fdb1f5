"""Whole programs, as users write and start them."""

from __future__ import annotations

import inspect
import os
import re
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import asyncio
from formicary import Agent, Container, CyclicBehaviour, OneShotBehaviour, Message, Template

class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))

class EchoAgent(Agent):
    async def setup(self):
        self.add_behaviour(Echo(), Template(performative="request"))

class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="echo", body="hello", performative="request"))
        print((await self.receive(timeout=60)).body)
        await self.agent.stop()

async def main():
    async with Container("c1") as container:
        asker = Agent("asker")
        asker.add_behaviour(Ask())
        await container.start(EchoAgent("echo"))
        await container.start(asker)
        await asker.join()

asyncio.run(main())
"""

INTERRUPTED = """
import asyncio, sys
from formicary import Agent, Container, CyclicBehaviour, MicroAgent

class Wait(CyclicBehaviour):
    async def on_start(self):
        if self.agent.name == "last":
            print("ready", flush=True)

    async def run(self):
        await self.receive()

    async def on_end(self):
        await asyncio.sleep(0)
        print("end of", self.agent.name, flush=True)

class Own(MicroAgent):
    async def handle(self, message):
        await asyncio.sleep(100)

async def main():
    async with Container("c1") as container:
        for name in ("first", "second", "last"):
            agent = Agent(name)
            agent.add_behaviour(Wait())
            await container.start(agent)
        await container.start(Own("own"))
        await asyncio.get_running_loop().create_future()

if sys.argv[1] == "uvloop":
    import uvloop
    uvloop.run(main())
else:
    asyncio.run(main())
"""


def test_the_program_of_the_quick_start_runs_as_it_stands():
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    # The developer mode says so of what takes longer than 0.1 s, as anything may on a busy machine.
    said = re.sub(r"Executing <.*> took \d+\.\d+ seconds\n", "", done.stderr)
    assert (done.stdout, said, done.returncode) == ("hello\n", "", 0)


def test_it_runs_inside_of_a_process_as_well(capsys):
    exec(compile(PROGRAM, "program", "exec"), {})
    assert capsys.readouterr().out == "hello\n"


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_ctrl_c_stops_the_agents_the_latest_first(loop):
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, loop],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert out.splitlines() == ["end of last", "end of second", "end of first"]
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "Task" not in err
    assert process.returncode == -signal.SIGINT


def test_import_brings_the_public_names():
    import formicary

    for name in formicary.__all__:
        assert getattr(formicary, name) is not None
    assert os.path.basename(formicary.__file__) == "__init__.py"  # noqa: PTH119
    assert inspect.iscoroutinefunction(formicary.Container.start)
