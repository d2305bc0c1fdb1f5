"""A container as a process of its own, which tests kill, stop and start again.

Its arguments are its name and options as JSON; what it does comes as lines of JSON, `["method", arguments]`,
and each is answered with a line: what came of it.
"""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sys
from pathlib import Path

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.container.options import of_plain
from formicary.errors import FormicaryError
from formicary.server import ServerAddress


class Echoing(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=message.body)


class Asking(OneShotBehaviour):
    def __init__(self, receiver):
        super().__init__()
        self.receiver = receiver
        self.answer = None

    async def run(self):
        await self.send(Message(to=self.receiver, body="hello"))
        message = await self.receive(timeout=60)
        self.answer = message and message.body


class Member:
    def __init__(self, container):
        self.container = container
        self.agents = {}
        self.known = {}
        self.watching = None

    async def start(self, name, *types):
        agent = self.agents[name] = Agent(name)
        agent.add_behaviour(Echoing())
        await self.container.start(agent)
        for type_ in types:
            await agent.directory.register(type=type_)

    async def register(self, name, type_, **more):
        await self.agents[name].directory.register(type=type_, **more)

    async def register_many(self, name, count, size=0):
        directory = self.agents[name].directory
        for number in range(count):
            await directory.register(type="many", name=f"n{number}", properties={"text": "x" * size})

    async def stop(self, name):
        await self.agents.pop(name).stop()

    async def find(self, **query):
        return sorted(
            f"{each.agent.removesuffix('.lab.localhost')}/{each.type}"
            for each in await self.container.directory.search(**query)
        )

    async def members(self):
        return sorted(self.container.members.items())

    async def ask(self, receiver):
        asking = Asking(receiver)
        agent = Agent("asking")
        agent.add_behaviour(asking)
        await self.container.start(agent)
        await asking.join()
        await agent.stop()
        return asking.answer

    async def watch(self):
        self.watching = asyncio.create_task(self._watch())

    async def _watch(self):
        async with self.container.directory.subscribe() as changes:
            async for change in changes:
                for each in change.services:
                    self.known[each.agent, each.name] = each.type
                for each in change.gone:
                    self.known.pop((each.agent, each.name), None)

    async def seen(self):
        return sorted(
            f"{agent.removesuffix('.lab.localhost')}/{type_}" for (agent, _), type_ in self.known.items()
        )

    async def limit(self, size):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    async def unlimit(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def say(what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def answer(member, line):
    method, arguments, more = json.loads(line)
    try:
        return [True, await getattr(member, method)(*arguments, **more)]
    except FormicaryError as error:
        return [False, f"{type(error).__name__}: {error}"]


async def main(name, options):
    loop = asyncio.get_running_loop()
    if "server" in options:
        options["server"] = ServerAddress.load(Path(options["server"]))
    try:
        container = Container(name, **of_plain(options))
        await container.__aenter__()
    except FormicaryError as error:
        say([False, f"{type(error).__name__}: {error}"])
        sys.exit(error.exit_code)
    try:
        member = Member(container)
        address = container.join_address if "listen" in options else None
        say([True, address])
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            say(await answer(member, line))
    finally:
        await container.__aexit__(None, None, None)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.stdin.readline())))
