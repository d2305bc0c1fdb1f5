"""Agents that roam containers and keep writing to each other."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import msgspec
from tests.unit.core.agents import reasons

from formicary import Agent, Container, CyclicBehaviour, Limits, Message, PeriodicBehaviour, Template
from formicary.delivery.dead_letters import is_failure
from formicary.errors import MoveError

PLACES = 4


class Notes(msgspec.Struct):
    """The state that an agent carries.

    Args:
        others: the full names of whom it writes to.
        burst: messages at once to each of them.
        pause: seconds that it takes for each message that it gets.
        sent: how many to each.
        got: the numbers that have come, by sender.
    """

    others: list[str] = []
    burst: int = 1
    pause: float = 0.0
    sent: int = 0
    got: dict[str, list[int]] = {}


class Roamer(Agent):
    """Writes numbers to others, and records those that it gets, wherever it is."""

    data: Notes

    def __init__(self, name, burst, pause, period):
        super().__init__(name)
        self.data = Notes(burst=burst, pause=pause)
        self.add_behaviour(Listens())
        self.add_behaviour(Tells(period), Template(performative="never"))


class Listens(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        data = self.agent.data
        if is_failure(message):
            return
        data.got.setdefault(message.sender, []).append(int(message.body))
        if data.pause:
            await asyncio.sleep(data.pause)


class Tells(PeriodicBehaviour):
    async def run(self):
        data = self.agent.data
        for _ in range(data.burst):
            if data.others:
                data.sent += 1
            for other in data.others:
                await self.send(Message(to=other, body=str(data.sent)))


class Meeting:
    """Containers, and agents that roam them and write to each other.

    Args:
        network: what joins the containers.
        mailbox_limit: as of `Container`.
    """

    def __init__(self, network, mailbox_limit):
        self.containers = [
            Container(f"c{number}", server=network, accepts=[__name__], limits=Limits(mailbox=mailbox_limit))
            for number in range(PLACES)
        ]
        self._stack = AsyncExitStack()

    async def __aenter__(self):
        for container in self.containers:
            await self._stack.enter_async_context(container)
        while any(len(each.members) < PLACES for each in self.containers):  # noqa: ASYNC110 -- till all are known
            await asyncio.sleep(1)
        return self

    async def __aexit__(self, *details):
        await self._stack.aclose()

    def roamers(self):
        """Return the roamers, wherever they are, by their full names."""
        return {agent.address: agent for container in self.containers for agent in container.agents}

    async def start(self, ways):
        """Start roamers, each with its home and its pace."""
        for number, (home, how) in enumerate(ways):
            await self.containers[home].start(Roamer(f"r{number}", *how))
        addresses = sorted(self.roamers())
        for address, agent in self.roamers().items():
            agent.data.others = [each for each in addresses if each != address]
        return addresses

    async def roam(self, address, trail, stay):
        """Send one on a journey."""
        for place in trail:
            try:
                await self.roamers()[address].move(self.containers[place].name)
            except MoveError:  # as where two come to rest that wait for room in each other's mailboxes
                await asyncio.sleep(1)
            await asyncio.sleep(stay)

    async def cease(self):
        """Stop all sending; return the sent and the received, by receiver and sender."""
        others = {address: agent.data.others for address, agent in self.roamers().items()}
        for agent in self.roamers().values():
            agent.data.others, agent.data.pause = [], 0.0
        await asyncio.sleep(120)
        data = {address: agent.data for address, agent in self.roamers().items()}
        sent = {
            (address, each): list(range(1, data[each].sent + 1))
            for address in data
            for each in data
            if address in others[each] and data[each].sent
        }
        got = {(address, each): numbers for address in data for each, numbers in data[address].got.items()}
        return sent, got

    def reasons(self):
        """Return the reasons for failed messages."""
        return [reason for each in self.containers for reason in reasons(each)]
