"""Agents that tests have created in other containers; and a container of them as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

from formicary import Agent, Container, CyclicBehaviour, MicroAgent, OneShotBehaviour

CREW = "tests.integration.management.crew"


class Clerk(Agent):
    """Says what it was made with, in which process."""

    def __init__(self, name, desk=0, **others):
        super().__init__(name)
        self.made_with = {"desk": desk, **others}

    async def setup(self):
        self.add_behaviour(Telling())


class Telling(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=f"{self.agent.made_with} {os.getpid()}")


class Cell(MicroAgent):
    def handle(self, message):
        pass


class Slow(Agent):
    """Is set up only when somebody says so."""

    begun = 0
    proceed = None  # an event

    async def setup(self):
        type(self).begun += 1
        await self.proceed.wait()


class Failing(Agent):
    async def setup(self):
        raise ValueError("no\ndesk left")


class Choosy(Agent):
    """Cannot be made, or fails in its setup, by its name."""

    def __init__(self, name):
        super().__init__(name)
        if name.startswith("unmade"):
            raise ValueError("not this one")

    async def setup(self):
        await asyncio.sleep(0)
        if self.name.startswith("failing"):
            raise ValueError("no desk")
        if self.name.startswith("leaving"):
            raise SystemExit(3)
        self.add_behaviour(Telling())


class Leaving(Agent):
    async def setup(self):
        raise SystemExit(3)


class Cancelling(Agent):
    async def setup(self):
        raise asyncio.CancelledError


class Hurried(Agent):
    async def setup(self):
        await self.stop()


class Unreal(Agent):
    def __init__(self, name):
        """Forget what all agents need."""


class Hanging(Agent):
    """Cannot be ended by asking."""

    async def setup(self):
        self.add_behaviour(Hang())


class Hang(OneShotBehaviour):
    over = None  # an event

    async def run(self):
        while not self.over.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.over.wait()


class Stubborn(Agent):
    async def stop(self):
        await asyncio.get_running_loop().create_future()


class Broken(Agent):
    async def stop(self):
        raise RuntimeError("it does not stop")


class Odd(Agent):
    def suspend(self):
        raise RuntimeError("it does not hold")


class Frozen(Agent):
    """Stops its whole process, or ends it, while others wait for it."""

    def __init__(self, name, signal):
        super().__init__(name)
        self.signal = signal

    async def setup(self):
        os.kill(os.getpid(), self.signal)
        await asyncio.get_running_loop().create_future()


async def main(name, address):
    """Join a container, and live until the process is ended."""
    async with Container(name, join=address, creatable=[CREW]) as container:
        await container.start(Clerk("clerk"))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], input()))  # the address has a secret in it
