"""Ten thousand micro-agents: each is one method, without a task and a mailbox of its own."""

import asyncio

from formicary import Agent, Container, Message, MicroAgent, OneShotBehaviour

CELLS = 10_000


class Cell(MicroAgent):
    def handle(self, message):
        count = int(message.body) + 1
        following = int(self.name.partition("-")[2]) + 1
        to = f"cell-{following}" if following < CELLS else "watcher"
        self.send_nowait(Message(to=to, body=str(count)))


class Watch(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="cell-0", body="0"))
        print((await self.receive()).body, "cells have passed the message on")
        await self.agent.stop()


async def main():
    async with Container("c1") as container:
        for number in range(CELLS):
            await container.start(Cell(f"cell-{number}"))
        watcher = Agent("watcher")
        watcher.add_behaviour(Watch())
        await container.start(watcher)
        await watcher.join()


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   10000 cells have passed the message on
