"""Waits for messages that have an end: one timer serves many, and each is as long as it says."""

from __future__ import annotations

import asyncio
import math
import time

import pytest

from formicary import Agent, Container, CyclicBehaviour, Message


class Turns(CyclicBehaviour):
    """Waits for messages, each for the next of the given times, and notes what came and when."""

    def __init__(self, waits):
        super().__init__()
        self.waits = list(waits)
        self.noted = []

    async def run(self):
        message = await self.receive(timeout=self.waits.pop(0))
        self.noted.append((message and message.body, asyncio.get_running_loop().time()))
        if not self.waits:
            self.kill()


@pytest.mark.virtual_clock
async def test_each_wait_has_its_own_length_whatever_the_timer_was_set_for():
    async with Container("c1") as container:
        agent, turns = Agent("a"), Turns([5, 1, 5, 0.5, math.inf, 3])
        agent.add_behaviour(turns)
        begin = asyncio.get_running_loop().time()
        await container.start(agent)
        for second in (0.5, 6.5, 8.0):  # the third comes in time for the wait without an end
            await asyncio.sleep(begin + second - asyncio.get_running_loop().time())
            await turns.send(Message(to="a", body=str(second)))
        await turns.join()
    bodies = [body for body, _ in turns.noted]
    times = [round(time - begin, 3) for _, time in turns.noted]
    assert bodies == ["0.5", None, "6.5", None, "8.0", None]
    assert times == [0.5, 1.5, 6.5, 7.0, 8.0, 11.0]


class SlowTurns(Turns):
    """Computes before it waits, so that the loop's own time is late; notes how long it waited."""

    async def run(self):
        time.sleep(0.05)  # noqa: ASYNC251 -- in place of a computation
        begin = time.monotonic()
        await super().run()
        self.noted[-1] = time.monotonic() - begin


async def test_a_wait_is_never_over_before_its_time_where_the_turn_before_it_was_long():
    async with Container("c1") as container:
        agent, turns = Agent("a"), SlowTurns([0.05, 0.02])
        agent.add_behaviour(turns)
        await container.start(agent)
        await turns.join()
    assert turns.noted[0] >= 0.049
    assert turns.noted[1] >= 0.019
