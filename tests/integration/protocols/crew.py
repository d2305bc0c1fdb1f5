"""Agents that tests of conversations start in other processes."""

from __future__ import annotations

import asyncio

from formicary import Agent
from formicary.protocols import ContractNet, Propose, Request, responds


class Worker(Agent):
    """Bids the length of its name, does what is awarded, and takes long for requests."""

    @responds(ContractNet)
    async def bid(self, call):
        answer = yield Propose(str(len(self.name)))
        if answer.performative == "accept-proposal":
            yield f"{self.name} in {self.container.name} has done {call.body}"

    @responds(Request)
    async def work(self, message):
        await asyncio.sleep(float(message.body))
        return self.container.name
