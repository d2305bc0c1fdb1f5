"""Agents that play roles in a container that is a process of its own."""

from __future__ import annotations

import asyncio
import sys

from formicary import Container, MicroAgent, Services

WORKERS = 5


class Worker(MicroAgent):
    """Answers each message with its body."""

    async def handle(self, message):
        await self.send(message.make_reply(body=message.body))


async def main(name, directory, address):
    """Join a container, and play roles until the process is ended."""
    async with Container(name, join=address, services=Services(directory=directory)) as container:
        workers = [Worker(f"worker-{number}") for number in range(WORKERS)]
        for worker in workers:
            await container.start(worker)
        async with workers[0].groups.subscribe("market", "manager") as changes:
            async for change in changes:
                if change.came:
                    break
        for worker in workers:
            await worker.groups.request_role("market", "worker", pass_key="work")
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:], input()))  # the address has a secret in it
