"""Agents that tests start in other processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from tests.integration.management import crew

from formicary import Agent, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour


class Clerk(crew.Clerk):
    """Says what it was made with, in which process."""


class Relay(Agent):
    """Passes messages on to the agent that they name first."""

    async def setup(self):
        self.add_behaviour(Relaying())


class Relaying(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        name, _, rest = message.body.partition(" ")
        await self.send(Message(to=name, body=rest, reply_to=message.sender))


class Cell(MicroAgent):
    def handle(self, message):
        self.send_nowait(Message(to=message.reply_to or message.sender, body=f"{self.name}: {message.body}"))


class Doing(Agent):
    """Does one thing by itself."""

    def __init__(self, name, what, value=None):
        super().__init__(name)
        self.add_behaviour(Do(what, value))


class Do(OneShotBehaviour):
    def __init__(self, what, value):
        super().__init__()
        self.what = what
        self.value = value

    async def run(self):
        match self.what:
            case "exit":
                sys.exit(self.value)
            case "fail":
                raise ValueError("no desk left")
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "start":
                await self.agent.container.start(Doing(self.value, "stop"))
        await self.agent.stop()


class Holding(Agent):
    """Holds its container's event loop for ever, from its first message on."""

    def __init__(self, name, sign):
        super().__init__(name)
        self.add_behaviour(Hold(Path(sign)))


class Hold(OneShotBehaviour):
    def __init__(self, sign):
        super().__init__()
        self.sign = sign

    async def run(self):
        await self.receive()
        self.sign.touch()
        threading.Event().wait()


class Mover(Agent):
    """Says where it is."""

    def __init__(self, name):
        super().__init__(name)
        self.add_behaviour(Saying())


class Saying(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=self.agent.container.name)


class Gossip(Agent):
    """Tells a random other of what it hears, until it has heard enough, and writes all that to a file."""

    def __init__(self, name, folder, count, enough):
        super().__init__(name)
        self.file = Path(folder, name)
        self.add_behaviour(Gossiping(count, enough))


class Gossiping(CyclicBehaviour):
    def __init__(self, count, enough):
        super().__init__()
        self.count = count
        self.left = enough

    async def run(self):
        message = await self.receive()
        cycle = self.agent.container.scheduler.cycle
        with self.agent.file.open("a") as file:
            file.write(f"{cycle} {message.sender} {message.body}\n")
        if self.left > 0:
            to = f"a{self.agent.random.randrange(self.count)}"
            await self.send(Message(to=to, body=str(self.left)))
            self.left -= 1


class Slow(Agent):
    """Computes until there is a file."""

    def __init__(self, name, sign):
        super().__init__(name)
        self.add_behaviour(Slowly(Path(sign)))


class Slowly(OneShotBehaviour):
    def __init__(self, sign):
        super().__init__()
        self.sign = sign

    async def run(self):
        await self.compute(_wait_for, self.sign)


def _wait_for(sign):
    sign.with_suffix(".begun").touch()
    for _ in range(3000):
        if sign.exists():
            return
        threading.Event().wait(0.01)
