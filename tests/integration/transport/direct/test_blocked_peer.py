"""A container whose loop an agent holds up: what it had got is not said to be undelivered."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from tests.unit.core.agents import Echo, reasons, start

from formicary import Container

ASKER = """
import asyncio, sys, time
from formicary import Agent, Container, Message, OneShotBehaviour

class Ask(OneShotBehaviour):
    async def run(self):
        for number in range(4):
            await self.send(Message(to=f"echo{number}@c1", body="?"))
        for _ in range(4):
            await self.receive()
        print("blocked", flush=True)
        sys.stdin.readline()  # holds up the loop

async def main():
    async with Container("c2", join=sys.argv[1]) as container:
        agent = Agent("asker")
        agent.add_behaviour(Ask())
        await container.start(agent)
        await agent.behaviours[0].join()

asyncio.run(main())
"""


async def test_answers_that_have_come_are_acknowledged_before_the_asker_blocks_its_loop():
    async with Container("c1", listen="127.0.0.1") as container:
        for number in range(4):
            await start(container, f"echo{number}", Echo())
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", ASKER, container.join_address),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(60):
                assert await process.stdout.readline() == b"blocked\n"
            await container.__aexit__(None, None, None)
            assert reasons(container) == []
        finally:
            process.kill()
            await process.communicate()
