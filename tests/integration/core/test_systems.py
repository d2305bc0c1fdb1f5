"""A container, conversations, compute and labs run where what Windows and macOS lack is taken away.

What needs it says so in a sentence. It is no test on these systems: see the README.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from formicary_bench.labs.material import lab_named, make_folder

ELSEWHERE = Path(__file__).with_name("elsewhere")
SENTENCE = re.compile(
    r"formicary: [a-z ]+ run on Linux and macOS, but not on this system \(linux\): start the "
    r"program there.*"
)

PROGRAM = """
import asyncio
from formicary import *
from formicary.protocols import ContractNet, Propose, responds, search


def square(number):
    return number * number


class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))


class Ask(OneShotBehaviour):
    async def run(self):
        print((await self.ask(Message(to="echo", body="hello"), timeout=30)).body)
        print(await self.compute(square, 7))
        await self.agent.stop()


class Carrier(Agent):
    async def setup(self):
        await self.directory.register("carrier")

    @responds(ContractNet)
    def carry(self, call):
        answer = yield Propose(str(len(self.name)))
        if answer.performative == "accept-proposal":
            yield f"{self.name} has carried {call.body}"


async def main():
    async with Container("c1") as container:
        echo, asker = Agent("echo"), Agent("asker")
        echo.add_behaviour(Echo())
        asker.add_behaviour(Ask())
        for agent in echo, asker, Carrier("hercules"), Carrier("ox"):
            await container.start(agent)
        await asker.join()
        async with container.contract_net(search(type="carrier"), "a piano", timeout=30) as net:
            best = min([bid async for bid in net.bids], key=lambda bid: int(bid.body))
            print((await net.award(best)).body)


if __name__ == "__main__":
    asyncio.run(main())
"""

REFUSED = """
import asyncio
from formicary import Container, FormicaryError, LocalPlatform
from formicary.cli import main
from formicary.cli.output import complain
from formicary.doctor import machine

with open("agents.py", "w") as script:
    script.write("from formicary import Agent\\nalice = Agent('alice')\\n")
for command in (
    "run agents.py --listen",
    "run agents.py --containers 2",
    "run agents.py --sleepers asleep.sqlite",
    "ps",
    "ps --join c1",
    "server start",
    "profile -- run agents.py",
    "bench list",
    "hosts check",
):
    try:
        main(command.split())
    except SystemExit as end:
        print(end.code)


async def enter(platform):
    async with platform:
        pass


for platform in Container("c1", listen="127.0.0.1"), LocalPlatform(2):
    try:
        asyncio.run(enter(platform))
    except FormicaryError as error:
        complain(error)
print(machine.system().what)
"""


def run(*arguments):
    surroundings = {**os.environ, "PYTHONPATH": str(ELSEWHERE), "COLUMNS": "300"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=120, check=False)


def test_a_container_conversations_and_compute():
    Path("program.py").write_text(PROGRAM)
    done = run("program.py")
    assert (done.stdout, done.stderr) == ("hello\n49\nox has carried a piano\n", "")


def test_labs_without_the_laboratory_s_libraries():
    lab = lab_named("ping-pong")
    make_folder(lab, Path("lab"))
    shutil.copy(lab.folder / "solution.py", "lab/program.py")
    done = run("-m", "formicary", "lab", "check", "lab", "--exercise", "1", "--seed", "1")
    assert done.stderr == ""
    assert re.search(r"^(\d+) of \1 passed: well done$", done.stdout, re.MULTILINE)


def test_what_needs_more_says_where_it_runs():
    done = run("-c", REFUSED)
    *codes, system = done.stdout.splitlines()
    sentences = done.stderr.splitlines()
    assert codes == ["1"] * 9
    assert [sentence for sentence in sentences if not SENTENCE.fullmatch(sentence)] == []
    assert len(sentences) == len(codes) + 2
    assert "a container, conversations, labs and compute work; platforms of several" in system
