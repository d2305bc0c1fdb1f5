"""An agent that roams containers, and others that write to it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from tests.unit.core.agents import reasons

from formicary import Agent, Container, CyclicBehaviour, Limits, Message

PLACES = 4


class Roamer(Agent):
    """Records the numbers that it is sent, by sender."""

    data: dict[str, list[int]]

    async def setup(self):
        self.data = {}
        self.add_behaviour(Listen())


class Listen(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        self.agent.data.setdefault(message.sender, []).append(int(message.body))


class Fire(CyclicBehaviour):
    """Sends numbers, several at once."""

    def __init__(self, to, burst, pause):
        super().__init__()
        self.to, self.burst, self.pause = to, burst, pause
        self.sent = 0
        self.is_over = False

    async def run(self):
        if self.is_over:
            self.kill()
            return
        for _ in range(self.burst):
            self.sent += 1
            await self.send(Message(to=self.to, body=str(self.sent)))
        await asyncio.sleep(self.pause)


class Ring:
    """Containers, and an agent that roams them.

    Args:
        network: what joins the containers.
        mailbox_limit: as of `Container`.
    """

    def __init__(self, network, mailbox_limit):
        self.containers = [
            Container(f"c{number}", server=network, accepts=[__name__], limits=Limits(mailbox=mailbox_limit))
            for number in range(PLACES)
        ]
        self.fires = []
        self._stack = AsyncExitStack()

    async def __aenter__(self):
        for container in self.containers:
            await self._stack.enter_async_context(container)
        await asyncio.sleep(5)  # all know each other
        return self

    async def __aexit__(self, *details):
        await self._stack.aclose()

    def roamer(self):
        """Return the roamer, wherever it is."""
        (agent,) = (each for container in self.containers for each in container.agents if each.name == "bob")
        return agent

    async def start(self, home):
        """Start the roamer."""
        await self.containers[home].start(Roamer("bob"))

    async def open_fire(self, place, burst, pause):
        """Let an agent of a container write to the roamer."""
        agent = Agent(f"fire{len(self.fires)}")
        agent.add_behaviour(fire := Fire(self.roamer().address, burst, pause))
        await self.containers[place].start(agent)
        self.fires.append(fire)

    async def roam(self, trail, pause):
        """Send the roamer on a journey."""
        for place in trail:
            await self.roamer().move(self.containers[place].name)
            await asyncio.sleep(pause)

    async def cease(self):
        """Stop all sending; return the sent and the received, by sender."""
        for fire in self.fires:
            fire.is_over = True
        await asyncio.sleep(120)
        sent = {fire.agent.address: list(range(1, fire.sent + 1)) for fire in self.fires if fire.sent}
        return sent, self.roamer().data

    def reasons(self):
        """Return the reasons for failed messages."""
        return [reason for each in self.containers for reason in reasons(each)]
