"""A container with agents that sleep; a worker with orders in lines of JSON on stdin.

    python -m tests.faults.dreamer

Agents `a0`, `a1`, ... sleep until a message comes, then note its number in the ledger.
"""

from __future__ import annotations

import asyncio
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from tests.faults.ledger import Ledger
from tests.faults.worker import Setting, container_of, tell

from formicary import Agent, Container, CyclicBehaviour


class Dream(msgspec.Struct, frozen=True):
    """An agent's state while it sleeps."""

    setting: Setting
    index: int


@cache
def ledger_of(path: str, agents: int, limit: int) -> Ledger:
    """Return the ledger at a path."""
    return Ledger(Path(path), agents, limit)


class Dreamer(Agent):
    """An agent that sleeps."""

    data: Dream

    def __init__(self, setting: Setting, index: int) -> None:
        super().__init__(f"a{index}")
        self.data = Dream(setting, index)
        self.add_behaviour(Receiving())


class Receiving(CyclicBehaviour):
    """Notes messages."""

    agent: Dreamer

    async def run(self) -> None:
        message = await self.receive()
        setting = self.agent.data.setting
        ledger = ledger_of(setting.ledger, setting.agents, setting.limit)
        ledger.note_incoming(self.agent.data.index, int(message.body))


async def obey(container: Container, setting: Setting, order: dict[str, Any]) -> None:
    """Carry out an order, and answer."""
    match order:
        case {"do": "populate"}:
            for index in range(setting.agents):
                await container.start(Dreamer(setting, index))
            await asyncio.gather(*(agent.deactivate() for agent in container.agents))
            tell("populated", awake=len(container.agents))
        case {"do": "who sleeps"}:
            found = await container.management.list_agents(state="deactivated", container=container.name)
            tell("asleep", agents=[int(agent.name.partition("@")[0][1:]) for agent in found])
        case _:
            raise ValueError(f"an order that nobody knows: {order}")


async def main() -> None:
    """Run the worker until it is ordered to close."""
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin.buffer
    )
    setting = msgspec.json.decode(await orders.readline(), type=Setting)
    async with container_of(setting) as container:
        tell("ready", pid=os.getpid(), join=None)
        while (order := msgspec.json.decode(await orders.readline() or b"null")) != {"do": "close"}:
            if order is None:
                os._exit(1)  # the parent process is gone
            await obey(container, setting, order)
    tell("closed")


if __name__ == "__main__":
    import uvloop
    from tests.faults import dreamer  # whose classes others can import

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(dreamer.main())
