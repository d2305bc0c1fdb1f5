"""Small agents that many tests need."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from formicary import Agent, CyclicBehaviour, OneShotBehaviour

EVERYTHING = {
    "body": b"\x00\xff",
    "performative": "request",
    "thread": "t",
    "reply_to": "other",
    "language": "l",
    "encoding": "e",
    "ontology": "o",
    "protocol": "p",
    "conversation_id": "c",
    "reply_with": "rw",
    "in_reply_to": "irt",
    "reply_by": datetime(2030, 1, 1, tzinfo=UTC),
    "metadata": {"k": "v"},
}
"""All that a message can say, but who it is from and for."""


class Do(OneShotBehaviour):
    """Runs one function of itself, and keeps what that returns."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.result = None

    async def run(self):
        self.result = await self.function(self)


class Collect(CyclicBehaviour):
    """Receives for ever, and keeps what it got."""

    def __init__(self):
        super().__init__()
        self.messages = []

    async def run(self):
        self.messages.append(await self.receive())

    @property
    def bodies(self):
        return [message.body for message in self.messages]


class Pausing(Collect):
    """Receives one message, and the others as soon as it may."""

    def __init__(self):
        super().__init__()
        self.may_receive = asyncio.Event()

    async def run(self):
        await super().run()
        await self.may_receive.wait()


class Echo(CyclicBehaviour):
    """Answers each message with its own body."""

    async def run(self):
        message = await self.receive()
        await self.reply(message, body=message.body)


class Deaf(OneShotBehaviour):
    """Waits for nothing that comes, and never receives."""

    async def run(self):
        await asyncio.get_running_loop().create_future()


class Counting(CyclicBehaviour):
    """Runs once a second, takes half a second to end, and counts both."""

    def __init__(self):
        super().__init__()
        self.runs = 0
        self.ends = 0

    async def run(self):
        self.runs += 1
        await asyncio.sleep(1)

    async def on_end(self):
        await asyncio.sleep(0.5)
        self.ends += 1


async def start(container, name, *behaviours):
    """Start an agent with these behaviours."""
    agent = Agent(name)
    for behaviour in behaviours:
        agent.add_behaviour(behaviour)
    await container.start(agent)
    return agent


def do(function):
    """Make a behaviour of an `async def function(behaviour)`."""
    return Do(function)


def reasons(container):
    """Return why the container's dead letters are dead, but for failures that nobody wanted."""
    return [letter.reason for letter in container.dead_letters if letter.message.performative != "failure"]
