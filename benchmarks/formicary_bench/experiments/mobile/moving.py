"""Agents that go to another container, in turn or at once: `mobile/dispatch`."""

from __future__ import annotations

import asyncio

from formicary import Agent
from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.mobile.play import LIVING, Play, played, start_sweeper
from formicary_bench.experiments.mobile.roaming import ThereAndBack
from formicary_bench.subjects.ours.behaviours import Wait
from formicary_bench.vocabulary.places import ECHOING
from formicary_bench.vocabulary.values import AT_ONCE


class Dispatched(Agent):
    """Waits for messages, here or there."""

    data: bytes

    async def after_move(self, origin: str) -> None:
        """Note that it is here."""
        del origin
        LIVING.append(self)


class Dispatch(Play):
    """Creates agents, and sends them to the other container, each after the one before or all at once."""

    cast = ((ECHOING, start_sweeper),)
    sent: list[str]

    async def prepare(self, count: int) -> None:
        """Create them."""
        self.sent = self.names("dispatched", count)
        for name in self.sent:
            agent = Dispatched(name)
            agent.data = self.work.body.encode()
            agent.add_behaviour(Wait())
            await self.home.start(agent)
        await asyncio.sleep(0)  # so that all of them wait

    async def operate(self, count: int) -> None:
        """Send them."""
        del count
        move = self.home.management.move
        if Looped.of(self.work.configuration).way == AT_ONCE:
            await asyncio.gather(*(move(name, ECHOING) for name in self.sent))
        else:
            for name in self.sent:
                await move(name, ECHOING)

    async def clear(self, count: int) -> None:
        """Stop them in the other container."""
        await self.sweep(0, count)


echo = ask = played({"mobile/dispatch": Dispatch, "mobile/messenger": ThereAndBack})
