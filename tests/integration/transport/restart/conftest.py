from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys

import pytest
from tests.integration.transport.conftest import no_way_but_to  # noqa: F401 -- a fixture
from tests.integration.transport.raw import until
from tests.unit.core.agents import Echo, do, start

from formicary import Agent, Container, Message

COMMAND = [sys.executable, "-c", "from formicary.cli import main; main()", "run", "hub.py"]

HUB = """
import json
from formicary import Agent, CyclicBehaviour

class Hub(Agent):
    async def setup(self):
        await self.directory.register("office", name="c1")
        self.add_behaviour(Tell())

class Tell(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        offices = await self.agent.directory.search(type="office")
        known = [dict(self.agent.container.members), sorted(it.name for it in offices)]
        await self.reply(message, body=json.dumps(known))

hub = Hub("hub")
"""


class Office(Agent):
    """Is in the directory under the name of its container."""

    async def setup(self):
        await self.directory.register("office", name=self.container.name)


class Hub:
    """The container c1 as a process of `formicary run`, which others join.

    Args:
        path: the folder with its script and its state.
    """

    def __init__(self, path):
        self.path = path
        self.processes = []
        self.join = path / "state" / "formicary" / "join"
        (path / "hub.py").write_text(HUB, encoding="utf-8")

    async def start(self, *arguments):
        """Start it, and return its process when it can be joined."""
        environment = {**os.environ, "XDG_STATE_HOME": str(self.path / "state")}
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *(arguments or ("--listen",)),
            cwd=self.path,
            env=environment,
            stderr=asyncio.subprocess.PIPE,
        )
        self.processes.append(process)
        self.said = []
        while "from another terminal" not in "".join(self.said):
            line = (await process.stderr.readline()).decode()
            assert line, self.said
            self.said.append(line)
        return process

    @contextlib.asynccontextmanager
    async def running(self, *arguments, end=signal.SIGTERM):
        """Have it as long as the block lasts; then it ends by a signal."""
        process = await self.start(*arguments)
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(end)
            await process.communicate()

    @property
    def address(self):
        return (self.join / "c1").read_text(encoding="utf-8").strip()

    @property
    def identity(self):
        return self.join / "c1.lab.localhost.identity"


@pytest.fixture
def hub(tmp_path):
    hub = Hub(tmp_path)
    yield hub
    for process in hub.processes:
        if process.returncode is None:  # a test has failed, and its loop is no more
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


@pytest.fixture
def members():
    """Open containers with an echo and an entry each: `async with members(address, "c2", "c3")`."""

    @contextlib.asynccontextmanager
    async def open_all(address, *names, **options):
        async with contextlib.AsyncExitStack() as stack:
            opened = []
            for name in names:
                container = Container(name, join=address, **options)
                opened.append(await stack.enter_async_context(container))
                await start(container, "echo", Echo())
                await container.start(Office("office"))
            yield opened

    return open_all


async def asked(container, to, body="x"):
    """Send a message from a new agent, and return what comes back."""

    async def ask(behaviour):
        await behaviour.send(Message(to=to, body=body))
        return await behaviour.receive(timeout=60)

    asking = do(ask)
    agent = await start(container, "asker", asking)
    await asking.join()
    await agent.stop()
    return asking.result


async def known(container):
    """Return what a container knows: the members, and whose entries there are."""
    offices = await container.directory.search(type="office")
    return [dict(container.members), sorted(it.name for it in offices)]


async def hub_knows(container):
    """Return what the hub knows; None if it cannot be asked."""
    answer = await asked(container, "hub@c1")
    if answer is None or answer.performative == "failure":
        return None
    return json.loads(answer.body)


async def alike(*containers):
    """Wait until containers know the same, of all of them."""
    names = sorted(container.name for container in containers)
    views = []
    while not views or views[0][1] != names or views.count(views[0]) < len(views):
        await asyncio.sleep(0.02)
        views = [await known(container) for container in containers]


async def whole(*containers):
    """Wait until all know the same, and all of it, and talk directly; return the hub's incarnation."""
    names = sorted(["c1", *(container.name for container in containers)])
    domains = {f"{name}.lab.localhost" for name in names}
    views = []
    while (
        not views or [set(views[0][0]), views[0][1]] != [domains, names] or views.count(views[0]) < len(views)
    ):
        await asyncio.sleep(0.02)
        views = [await known(container) for container in containers]
        views.append(await hub_knows(containers[0]))
    for container in containers:
        await until(
            lambda container=container: (
                {(status.peer, status.way) for status in container.links if status.is_up}
                == {(domain, "direct") for domain in domains - {container.domain}}
            )
        )
    return views[0][0]["c1.lab.localhost"]
