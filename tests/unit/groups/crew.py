"""Agents that play roles, and containers for them."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager

from formicary import Container, MicroAgent
from formicary.groups.mailing import DISTRIBUTOR
from formicary.testing import MemoryNetwork, until_idle


class Member(MicroAgent):
    """Keeps what it gets."""

    def __init__(self, name):
        super().__init__(name)
        self.messages = []

    def handle(self, message):
        self.messages.append(message)

    @property
    def bodies(self):
        return [message.body for message in self.messages]


async def begin(container, *names):
    """Start members; return them."""
    members = [Member(name) for name in names]
    for member in members:
        await container.start(member)
    return members


@asynccontextmanager
async def joined(*names, **options):
    """Give containers that are joined in memory, and the network as the last."""
    network = MemoryNetwork()
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(Container(name, server=network, **options)) for name in names
        ]
        await until_idle()
        yield (*opened, network)


def full(*names):
    """Return full names, sorted."""
    return sorted(f"{name}.lab.localhost" for name in names)


async def players(agent, *where, **more):
    return sorted(await agent.groups.agents(*where, **more))


def distributor(container):
    """Return the full name of who takes messages to groups there."""
    return f"{DISTRIBUTOR}@{container.domain}"
