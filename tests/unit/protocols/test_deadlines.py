"""Deadlines: each on time, by one timer, and those that are done are forgotten."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary import Agent, Container, OneShotBehaviour
from formicary.protocols.deadlines import Deadlines
from formicary.testing import run_virtual


class Waiter:
    def __init__(self):
        self.expired_at = None
        self.is_done = False

    def done(self):
        return self.is_done

    def expire(self):
        self.expired_at = asyncio.get_running_loop().time()
        self.is_done = True


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50), st.booleans()), max_size=200))
def test_each_is_called_at_its_time_unless_it_is_done(cases):
    class Wait(OneShotBehaviour):
        async def run(self):
            loop = asyncio.get_running_loop()
            deadlines = Deadlines(self.agent.container.scheduler)
            waiters = []
            for start, timeout, is_answered in sorted(cases):
                if loop.time() < start:  # else it is in the same turn as the one before
                    await asyncio.sleep(start - loop.time())
                waiter = Waiter()
                deadlines.add(waiter, timeout)
                waiters.append((waiter, start + timeout, is_answered))
                waiter.is_done = is_answered
            await asyncio.sleep(200)
            for waiter, when, is_answered in waiters:
                assert waiter.expired_at == (None if is_answered else pytest.approx(when, abs=0.002))
            deadlines.close()

    async def main():
        async with Container("c1") as container:
            agent = Agent("waits")
            agent.add_behaviour(behaviour := Wait())
            await container.start(agent)
            await behaviour.join()

    run_virtual(main())


def test_those_that_are_done_are_forgotten():
    async def main():
        async with Container("c1") as container:
            deadlines = Deadlines(container.scheduler)
            for _ in range(10_000):
                waiter = Waiter()
                deadlines.add(waiter, 60)
                waiter.is_done = True
            assert len(deadlines._heap) <= 64
            deadlines.close()

    run_virtual(main())
