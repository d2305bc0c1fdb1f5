"""Whether behaviours are at rest, and what they do else."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import pytest

from formicary import (
    Agent,
    Container,
    CyclicBehaviour,
    FSMBehaviour,
    Message,
    OneShotBehaviour,
    PeriodicBehaviour,
    State,
    TimeoutBehaviour,
)
from formicary.core.resting import is_at_rest, waits_for_time, what_it_does

pytestmark = pytest.mark.virtual_clock


class Receives(CyclicBehaviour):
    timeout = None

    async def run(self):
        async with asyncio.timeout(None):
            await self.receive(self.timeout)


class ReceivesInTime(Receives):
    timeout = 5.0


class Looks(Receives):
    timeout = 0


class BetweenRuns(CyclicBehaviour):
    async def run(self):
        pass


class Periodic(PeriodicBehaviour):
    def __init__(self):
        super().__init__(10.0)

    async def run(self):
        pass


class Timeout(TimeoutBehaviour):
    def __init__(self):
        super().__init__(timedelta(seconds=10))

    async def run(self):
        pass


class Watches(CyclicBehaviour):
    async def run(self):
        async with self.agent.directory.subscribe(type="printer") as changes:
            async for _ in changes:
                pass


class WatchesAGroup(CyclicBehaviour):
    async def run(self):
        async with self.agent.groups.subscribe("market") as changes:
            while True:
                await anext(changes)


class Sleeps(OneShotBehaviour):
    async def run(self):
        await asyncio.sleep(5.0)


class LetsOthersGo(OneShotBehaviour):
    async def run(self):
        for _ in range(10_000):
            await asyncio.sleep(0)


class Gathers(OneShotBehaviour):
    async def run(self):
        await asyncio.gather(self.receive(), self.receive())


class EndsSlowly(OneShotBehaviour):
    async def run(self):
        pass

    async def on_end(self):
        await self.receive(1.0)


class Spins(State):
    async def run(self):
        self.set_next_state("spins")


class Machine(FSMBehaviour):
    def __init__(self):
        super().__init__()
        self.add_state("spins", Spins(), initial=True)
        self.add_transition("spins", "spins")


class MachineThatReceives(FSMBehaviour):
    class Receives(State):
        async def run(self):
            await self.receive()

    def __init__(self):
        super().__init__()
        self.add_state("receives", self.Receives(), initial=True)


async def started(behaviour):
    agent = Agent("alice")
    agent.add_behaviour(behaviour)
    return agent


AT_REST = [
    Receives,
    ReceivesInTime,
    Looks,
    BetweenRuns,
    Periodic,
    Timeout,
    Machine,
    MachineThatReceives,
    Watches,
    WatchesAGroup,
]
BUSY = [(Sleeps, "sleep"), (LetsOthersGo, "sleep"), (Gathers, "a future"), (EndsSlowly, "receive")]


@pytest.mark.parametrize("kind", AT_REST)
async def test_what_waits_for_a_message_or_its_time_or_its_next_run_is_at_rest(kind):
    async with Container("c1") as c1:
        agent = await started(kind())
        await c1.start(agent)
        assert is_at_rest(agent.behaviours[0])  # it has not begun
        for _ in range(10):
            await asyncio.sleep(0)
            assert is_at_rest(agent.behaviours[0])
        assert waits_for_time(agent.behaviours[0]) is (kind in {Periodic, Timeout})


@pytest.mark.parametrize(("kind", "awaits"), BUSY)
async def test_what_is_in_the_middle_of_something_is_not_at_rest(kind, awaits):
    async with Container("c1") as c1:
        agent = await started(kind())
        await c1.start(agent)
        for _ in range(5):
            await asyncio.sleep(0)
        (behaviour,) = agent.behaviours
        assert not is_at_rest(behaviour)
        assert not waits_for_time(behaviour)
        method = "on_end" if kind is EndsSlowly else "run"
        found = re.fullmatch(
            r"is awaiting ([\w ]+) \(test_resting\.py:\d+, in (\w+)\)", what_it_does(behaviour)
        )
        assert found.groups() == (awaits, method)


async def test_a_behaviour_that_has_a_message_to_take_is_at_rest_before_it_does():
    async with Container("c1") as c1:
        agent = await started(Receives())
        await c1.start(agent)
        await asyncio.sleep(0)
        c1.dispatcher.send_nowait(Message(to="alice"))
        assert is_at_rest(agent.behaviours[0])


async def test_what_has_not_started_or_has_ended_is_told_so():
    behaviour = Sleeps()
    assert is_at_rest(behaviour)
    assert not waits_for_time(behaviour)
    assert what_it_does(behaviour) == "has ended"
