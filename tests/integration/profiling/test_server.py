"""The XMPP server's processes are a group of their own."""

from __future__ import annotations

import json

import pytest

from formicary.server import ManagedServer

pytestmark = pytest.mark.server

THROUGH = """\
import asyncio, sys, time
from formicary import Agent, Container, CyclicBehaviour, Message, Network
from formicary.server import ServerAddress

class Echo(CyclicBehaviour):
    async def run(self):
        await self.reply(await self.receive())

class Ask(Echo):
    async def on_start(self):
        for _ in range(50):
            await self.send(Message(to=f"echo@{self.get('other')}"))

async def main(folder):
    server = ServerAddress.load(folder)
    ways = {"server": server, "network": Network(route="xmpp")}
    async with Container("a", **ways) as a, Container("b", **ways) as b:
        echo, ask = Agent("echo"), Agent("ask")
        echo.add_behaviour(Echo())
        ask.add_behaviour(Ask())
        ask.set("other", b.domain)
        await b.start(echo)
        await a.start(ask)
        while time.process_time() < 0.8:
            await asyncio.sleep(0.05)

asyncio.run(main(sys.argv[1]))
"""
OWN = """\
from formicary.server import ManagedServer

with ManagedServer() as server:
    asyncio.run(main(server.folder.path))
"""


def test_a_server_that_runs_already_is_counted_where_that_is_asked_for(profile, script):
    with ManagedServer() as server:
        folder = server.folder.path
        done = profile("--json", "--server", folder, "--", script(THROUGH), folder)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    shares = {figure["name"]: figure["cpu_s"] for figure in answer["figures"]}
    assert shares["server"] > 0
    assert shares["communication"] > 0
    assert [process["role"] for process in answer["processes"]].count("server") == 1


def test_a_server_that_the_program_starts_is_known(profile, script):
    done = profile("--json", "--", script(THROUGH.replace("asyncio.run(main(sys.argv[1]))\n", OWN)))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {figure["name"]: figure["cpu_s"] for figure in answer["figures"]}["server"] > 0
    assert [process["role"] for process in answer["processes"]].count("server") == 1
