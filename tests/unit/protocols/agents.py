"""Participants that tests of protocols need."""

from __future__ import annotations

import asyncio

from tests.unit.core.agents import Do, start

from formicary import Agent
from formicary.protocols import ContractNet, Failure, Propose, Refuse, Request, responds


class Printer(Agent):
    """Does what a request says."""

    cancelled = 0

    @responds(Request)
    async def print(self, message):
        match message.body:
            case "refuse":
                raise Refuse("no paper")
            case "fail":
                raise Failure("on fire")
            case "break":
                raise ValueError("a bug")
            case "nonsense":
                return 17
            case "error":
                return ValueError("a bug")
            case "stop":
                await self.stop()
            case "wait":
                try:
                    await asyncio.sleep(10)
                except asyncio.CancelledError:
                    self.cancelled += 1
                    raise
        return f"printed {message.body}"


class Bidder(Agent):
    """Bids a price after some time, and does the work."""

    def __init__(self, name, price, *, delay=0.0):
        super().__init__(name)
        self.price = price
        self.delay = delay
        self.heard = []

    @responds(ContractNet)
    async def bid(self, call):
        await asyncio.sleep(self.delay)
        answer = yield Propose(str(self.price))
        self.heard.append(answer.performative)
        if answer.performative == "accept-proposal":
            yield f"{call.body} done by {self.name}"


async def run(container, function, name="asker"):
    """Run a function of a behaviour in a new agent to its end, and return what it returns."""
    behaviour = Do(function)
    agent = await start(container, name, behaviour)
    await behaviour.join()
    assert agent.conversations.expected == {}
    await agent.stop()
    return behaviour.result
