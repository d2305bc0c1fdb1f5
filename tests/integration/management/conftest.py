from __future__ import annotations

import asyncio
import contextlib
import json
import sys

import pytest
from tests.integration.management.crew import Slow
from tests.integration.transport.raw import until
from tests.plugins.paths import ROOT
from tests.unit.core.agents import Collect, start

from formicary import Container, Message

CREW = "tests.integration.management.crew"


@pytest.fixture
def platform():
    """Open containers that have joined the first and know each other: `async with platform("c1", "c2")`."""

    @contextlib.asynccontextmanager
    async def open_all(*names, **options):
        options = {"creatable": [CREW], **options}
        async with contextlib.AsyncExitStack() as stack:
            opened = [await stack.enter_async_context(Container(names[0], listen="127.0.0.1", **options))]
            for name in names[1:]:
                container = Container(name, join=opened[0].join_address, **options)
                opened.append(await stack.enter_async_context(container))
            await until(lambda: all(len(each.members) == len(names) for each in opened))
            yield opened

    return open_all


@pytest.fixture
def join_process():
    """Start processes whose containers join one: `async with join_process(container, "c2") as process`."""

    @contextlib.asynccontextmanager
    async def start_one(container, name):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            CREW,
            name,
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            process.stdin.write(f"{container.join_address}\n".encode())
            assert await process.stdout.readline() == b"ready\n"
            await until(lambda: f"{name}.{container.platform}" in container.members)
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    return start_one


@pytest.fixture(autouse=True)
def slow():
    """Let the agent that is set up slowly begin anew."""
    Slow.begun, Slow.proceed = 0, None
    return Slow


class Asker:
    """An agent that asks management agents, and keeps what they answer."""

    def __init__(self):
        self._count = 0

    async def start(self, container, name="asker"):
        self._got = Collect()
        self.agent = await start(container, name, self._got)
        return self

    def send(self, to, content, **changes):
        """Send a request; return what its answers carry."""
        self._count += 1
        body = content if isinstance(content, (str, bytes)) else json.dumps(content)
        message = Message(
            to=to,
            body=body,
            performative="request",
            language="json",
            ontology="fipa-agent-management",
            protocol="fipa-request",
            reply_with=f"r{self._count}",
            conversation_id=f"c{self._count}",
            sender=self.agent.address,
        ).replace(**changes)
        self.agent.container.dispatcher.send_nowait(message)
        return f"r{self._count}"

    def answers(self, name):
        return [message for message in self._got.messages if message.in_reply_to == name]

    async def ask(self, to, content, **changes):
        """Send a request; return the performatives of its answers, and the content of the last."""
        name = self.send(to, content, **changes)
        await until(lambda: any(it.performative != "agree" for it in self.answers(name)))
        said = self.answers(name)
        assert {message.ontology for message in said} == {"fipa-agent-management"}
        return [message.performative for message in said], json.loads(said[-1].body)


@pytest.fixture
def asker():
    """Return a function that starts an agent which asks: `await asker(container)`."""

    def make(container, name="asker"):
        return Asker().start(container, name)

    return make
