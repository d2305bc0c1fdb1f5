"""Agents that use the directory, and containers that know each other, for the tests here."""

from __future__ import annotations

import asyncio
import contextlib

from tests.integration.transport.raw import until

from formicary import Agent, Container, CyclicBehaviour, MicroAgent, Services
from formicary.testing import MemoryNetwork, until_idle

MAIN = "c1"


class Offering(Agent):
    """Registers services in its setup."""

    def __init__(self, name, *types):
        super().__init__(name)
        self.types = types

    async def setup(self):
        for type_ in self.types:
            await self.directory.register(type=type_)


class Calling(MicroAgent):
    """Does what messages say: the name of a method of the directory, and a type or name."""

    def __init__(self, name):
        super().__init__(name)
        self.done = []

    async def handle(self, message):
        method = getattr(self.directory, message.performative)
        self.done.append(await method(message.body))


class Broken(CyclicBehaviour):
    """Registers, and raises."""

    async def on_start(self):
        await self.agent.directory.register(type="broken")

    async def run(self):
        raise ValueError("broken")


class View:
    """What a subscription tells, put together."""

    def __init__(self, directory, **query):
        self._directory = directory
        self._query = query
        self.known = {}
        self.changes = []

    async def __aenter__(self):
        self._stack = contextlib.AsyncExitStack()
        changes = await self._stack.enter_async_context(self._directory.subscribe(**self._query))
        self._task = asyncio.create_task(self._follow(changes))
        return self

    async def _follow(self, changes):
        async for change in changes:
            self.changes.append(change)
            for service in change.services:
                self.known[service.agent, service.name] = service
            for gone in change.gone:
                self.known.pop((gone.agent, gone.name), None)

    async def __aexit__(self, *_):
        self._task.cancel()
        await asyncio.wait([self._task])
        await self._stack.aclose()


def names(services):
    """Return the agents and names of services, in short."""
    return [f"{each.agent.removesuffix('.lab.localhost')}/{each.name}" for each in services]


@contextlib.asynccontextmanager
async def in_memory(design, *others, **options):
    """Open the platform's container and others, in virtual time."""
    network = MemoryNetwork()
    async with contextlib.AsyncExitStack() as stack:
        opened = []
        for name in (MAIN, *others):
            container = Container(name, server=network, services=Services(directory=design), **options)
            container.network = network
            opened.append(await stack.enter_async_context(container))
        await until_idle()
        yield opened


@contextlib.asynccontextmanager
async def joined(design, *others, **options):
    """Open the platform's container and others, which are connected directly."""
    async with contextlib.AsyncExitStack() as stack:
        main = Container(MAIN, listen="127.0.0.1", services=Services(directory=design), **options)
        opened = [await stack.enter_async_context(main)]
        for name in others:
            container = Container(
                name, join=main.join_address, services=Services(directory=design), **options
            )
            opened.append(await stack.enter_async_context(container))
        await until(lambda: all(len(each.members) == len(opened) for each in opened))
        yield opened


def left_behind(container):
    """Return what a container's own agent and its part of the directory remember, which should be nothing."""
    services = container._facilities.services
    left = [*services.agent._pending, *services.agent._conversations]
    backend = services.backend
    for name in ("_claims", "_remote_watches", "_unsubscribed", "_cancelled"):
        part = getattr(backend, name, ())
        left += getattr(part, "_all", part)
    return left
