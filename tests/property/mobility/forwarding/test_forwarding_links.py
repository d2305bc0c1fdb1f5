"""Over real links: messages to agents that move arrive once and in order, or their senders are told."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.mobility.forwarding.moving import Taker, World, numbers_of
from tests.property.searches import at_first

from formicary import Message
from formicary.delivery.dead_letters import is_failure
from formicary.errors import MailboxFullError
from formicary.testing import run_virtual


class Told(Taker):
    """Also keeps which of its messages failed."""

    def __init__(self, name):
        super().__init__(name)
        self.failed = []

    def handle(self, message):
        if is_failure(message):
            self.failed.append(int(message.in_reply_to))
        else:
            super().handle(message)


BURSTS = ((1, 0.0), (40, 0.0), (40, 0.001), (40, 0.004), (30, 0.03))  # messages, and seconds between them

acts = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 3), st.sampled_from(BURSTS)),
        st.tuples(st.just("send"), st.integers(0, 3), st.sampled_from(BURSTS)),
        st.tuples(st.just("move"), st.integers(0, 3), st.none()),
        st.tuples(st.just("wait"), st.just(0), st.sampled_from((0.0, 0.005, 0.05, 1.0))),
        st.tuples(st.just("loss"), st.just(0), st.sampled_from((0.0, 0.01, 0.03))),
    ),
    max_size=30,
)


async def send(agent, to, count, pause, numbers):
    for _ in range(count):
        numbers[agent.address] = number = numbers.get(agent.address, 0) + 1
        try:
            await agent.send(Message(to=to, body=str(number), reply_with=str(number)))
        except MailboxFullError:
            agent.failed.append(number)
        if pause:
            await asyncio.sleep(pause)


async def fail(world, mesh, bob, kills, cuts):
    """Cut containers off from each other for a while, and kill some, except the one where bob lives."""
    mesh.loss = 0.0
    for one, other, seconds in cuts:
        mesh.cut.add(frozenset((world.containers[one].domain, world.containers[other].domain)))
        await asyncio.sleep(seconds)
        mesh.cut.clear()
    for number, after in kills:
        await asyncio.sleep(after)
        if number != world.at[bob.address]:
            mesh.kill(world.containers[number].domain)


async def play(seed, program, kills=(), cuts=()):
    """Let bob move about while all write to him; return the sent, the received and the failed."""
    mesh = Mesh(seed)
    sent = {}
    async with World(4, mesh) as world:
        world.longest = 0.05
        bob = await world.start("bob", 0)
        senders = [await world.start(f"s{number}", number, Told) for number in range(4)]
        locks = [asyncio.Lock() for _ in senders]

        async def talk(number, burst):
            async with locks[number]:
                await send(senders[number], bob.address, *burst, sent)

        await asyncio.sleep(5)  # all know each other
        async with asyncio.TaskGroup() as tasks:
            moving = tasks.create_task(asyncio.sleep(0))
            for act, one, extra in program:
                if act == "send":
                    tasks.create_task(talk(one, extra))
                elif act == "wait":
                    await asyncio.sleep(extra)
                elif act == "loss":
                    mesh.loss = extra
                elif moving.done():
                    moving = tasks.create_task(world.move(bob, one))
            await moving
            await fail(world, mesh, bob, kills, cuts)
            await asyncio.sleep(120)
        got = {agent.address: numbers_of(bob, agent.address) for agent in senders}
        failed = {agent.address: set(agent.failed) for agent in senders}
        domains = {agent.address: world.containers[world.at[agent.address]].domain for agent in senders}
        alive = {address for address, domain in domains.items() if domain not in mesh.dead}
    return sent, got, failed, alive


def check(sent, got, failed, alive):
    for address in alive:
        numbers = got[address]
        assert len(set(numbers)) == len(numbers)
        certain = [number for number in numbers if number not in failed[address]]
        assert certain == sorted(certain)
        assert set(numbers) | failed[address] == set(range(1, sent.get(address, 0) + 1))


@at_first(12, 40)
@given(st.integers(0, 1000), acts)
def test_every_message_comes_once_and_in_order_though_frames_get_lost(seed, program):
    sent, got, failed, alive = run_virtual(play(seed, program))
    assert len(alive) == 4
    assert not any(failed.values())
    check(sent, got, failed, alive)


@at_first(12, 40)
@given(
    st.integers(0, 1000),
    acts,
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from((0.0, 0.001, 0.01, 0.1))), min_size=1, max_size=1),
)
def test_where_a_container_on_the_way_dies_each_message_comes_or_its_sender_is_told(seed, program, kills):
    check(*run_virtual(play(seed, program, kills)))


@at_first(12, 40)
@given(
    st.integers(0, 1000),
    acts,
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from((0.01, 1.0, 5.0, 40.0, 90.0))),
        min_size=1,
        max_size=2,
    ),
)
def test_where_containers_are_cut_off_each_message_comes_or_its_sender_is_told(seed, program, cuts):
    check(*run_virtual(play(seed, program, cuts=cuts)))
