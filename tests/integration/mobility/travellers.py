"""Agents that move, for tests."""

from __future__ import annotations

import asyncio

import msgspec

from formicary import Agent, CyclicBehaviour, FSMBehaviour, Message, MicroAgent, OneShotBehaviour, State
from formicary.errors import MoveError

HERE = "tests.integration.mobility"


def agent_in(container, name):
    """Return the agent of a name that lives in a container."""
    (agent,) = (agent for agent in container.agents if agent.name == name)
    return agent


class Log(msgspec.Struct):
    places: list[str] = []
    received: list[int] = []


class Traveller(Agent):
    """Notes where it is, and which numbers it is sent."""

    data: Log

    def __init__(self, name):
        super().__init__(name)
        self.data = Log()
        self.add_behaviour(Listen())

    async def after_move(self, origin):
        self.data.places.append(self.container.name)


class Listen(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        self.agent.data.received.append(int(message.body))


class Plain(Agent):
    """One without hooks."""

    def __init__(self, name):
        super().__init__(name)
        self.add_behaviour(Echo())


class Echo(CyclicBehaviour):
    async def run(self):
        await self.reply(message := await self.receive(), body=message.body)


class Tour(OneShotBehaviour):
    """Goes on until it has been everywhere."""

    data: list[str]

    async def run(self):
        if self.data:
            to = self.data.pop(0)
            await self.agent.move(to)


class Red(State):
    async def run(self):
        await self.receive()


class Lights(FSMBehaviour):
    """Has one state, in which it waits."""

    def __init__(self):
        super().__init__()
        self.add_state("red", Red(), initial=True)


class Small(MicroAgent):
    data: int

    def __init__(self, name):
        super().__init__(name)
        self.data = 0

    def handle(self, message):
        self.data += 1


class Fire(CyclicBehaviour):
    """Writes numbers to an agent, a few each time."""

    def __init__(self, to):
        super().__init__()
        self.to = to
        self.sent = 0

    async def run(self):
        for _ in range(3):
            await self.send(Message(to=self.to, body=str(self.sent)))
            self.sent += 1
        await asyncio.sleep(0.002)


class Homebody(Plain):
    async def before_move(self, destination):
        raise MoveError("it likes it here")


class Careful(Plain):
    async def before_move(self, destination):
        await asyncio.sleep(60)
