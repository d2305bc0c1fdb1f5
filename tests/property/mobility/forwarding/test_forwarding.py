"""Agents write to each other while they move between containers: each message comes once, in order."""

from __future__ import annotations

import asyncio
import random

from hypothesis import given
from hypothesis import strategies as st
from tests.property.mobility.forwarding.moving import World, numbers_of
from tests.property.searches import at_first
from tests.unit.core.agents import reasons

from formicary import Message
from formicary.testing import MemoryNetwork, run_virtual

DELAYS = (0.0, 0.001, 0.003, 0.05, 0.2)


class Uneven(MemoryNetwork):
    """A network with varying latency, so that messages overtake each other."""

    def __init__(self, seed, delays=DELAYS):
        self._chance, self._delays = random.Random(seed), delays
        super().__init__()

    @property
    def delay(self):
        return self._chance.choice(self._delays)

    @delay.setter
    def delay(self, seconds):
        pass


BURSTS = ((1, 0.0), (30, 0.0), (20, 0.001), (20, 0.02), (20, 0.1))  # messages, and seconds between them

acts = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 2), st.integers(0, 2), st.sampled_from(BURSTS)),
        st.tuples(st.just("move"), st.integers(0, 2), st.integers(0, 3), st.none()),
        st.tuples(st.just("move"), st.integers(0, 2), st.integers(0, 3), st.none()),
        st.tuples(st.just("wait"), st.just(0), st.just(0), st.sampled_from((0.0, 0.002, 0.06, 1.0))),
    ),
    max_size=40,
)


class Traffic:
    """How much was sent by whom to whom; each agent sends in sequence."""

    def __init__(self, agents):
        self.agents = agents
        self.sent = {(one.address, other.address): 0 for one in agents for other in agents}
        self.locks = {agent.address: asyncio.Lock() for agent in agents}

    async def send(self, sender, receiver, count, pause):
        key = sender.address, receiver.address
        for _ in range(count):
            async with self.locks[sender.address]:
                self.sent[key] += 1
                await sender.send(Message(to=receiver.address, body=str(self.sent[key])))
            await asyncio.sleep(pause)


async def play(seed, program):
    """Run a program; return what was sent to whom and what came, and why messages failed."""
    async with World(4, Uneven(seed)) as world:
        world.longest = max(DELAYS) + 0.01
        agents = [await world.start(f"a{number}", number) for number in range(3)]
        traffic = Traffic(agents)
        async with asyncio.TaskGroup() as tasks:
            moving = {}
            for act, one, other, extra in program:
                if act == "send":
                    tasks.create_task(traffic.send(agents[one], agents[other], *extra))
                elif act == "wait":
                    await asyncio.sleep(extra)
                elif one not in moving or moving[one].done():
                    moving[one] = tasks.create_task(move(world, traffic, agents[one], other))
        await asyncio.sleep(60)
        got = {key: numbers_of(world.agents[key[1]], key[0]) for key in traffic.sent}
        left = [world.places(number)._forwarders for number in range(4)]
        return traffic.sent, got, [reasons(each) for each in world.containers], left


async def move(world, traffic, agent, to):
    async with traffic.locks[agent.address]:  # an agent that moves does not send
        await world.move(agent, to)


@at_first(40)
@given(st.integers(0, 1000), acts)
def test_every_message_comes_once_and_in_the_order_in_which_it_was_sent(seed, program):
    sent, got, why, forwarders = run_virtual(play(seed, program))
    assert why == [[], [], [], []]
    assert got == {key: list(range(1, count + 1)) for key, count in sent.items()}
    assert not any(
        forwarder.is_held or forwarder.messages() for each in forwarders for forwarder in each.values()
    )
