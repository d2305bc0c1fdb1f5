"""Nothing is lost silently: a partner's container crashes, and who waits for its answer is told at once."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message
from formicary.errors import FailedError
from formicary.testing import MemoryNetwork, run_virtual


class Think(CyclicBehaviour):
    async def run(self):
        await self.receive()
        await asyncio.sleep(3600)


async def crash():
    network = MemoryNetwork(delay=0.1)
    async with Container("c1", server=network) as c1:
        c2 = await Container("c2", server=network).open()
        thinker = Agent("thinker")
        thinker.add_behaviour(Think())
        await c2.start(thinker)
        question = asyncio.create_task(c1.ask(Message(to="thinker@c2", body="why?")))
        await asyncio.sleep(60)
        await network.crash(c2)
        try:
            await question
        except FailedError as error:
            print(error)


if __name__ == "__main__":
    run_virtual(crash())

# It prints:
#   thinker@c2.lab.localhost was in a container that was lost
