"""Short names across the containers of a local platform, in memory and in virtual time."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.unit.core.agents import Collect, Do
from tests.unit.groups.crew import Member, begin, joined

from formicary import Agent, Message, MicroAgent
from formicary.core.base_agent import AgentState
from formicary.delivery.held import HeldMessages
from formicary.local.names import LocalNames
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


@asynccontextmanager
async def met(*names):
    """Yield containers, their `LocalNames`, and their network."""
    async with joined(*names) as (*containers, network):
        finders = [LocalNames(each) for each in containers]
        for finder in finders:
            await finder.meet([each.domain for each in containers])
        yield containers, finders, network
        for finder in finders:
            finder.close()


async def started(container, name, *behaviours):
    agent = Agent(name)
    for behaviour in behaviours:
        agent.add_behaviour(behaviour)
    await container.start(agent)
    return agent


def sending(*messages):
    async def send(behaviour):
        for message in messages:
            await behaviour.send(message)

    return Do(send)


def numbered(to, count, first=0):
    return [Message(to=to, body=str(number)) for number in range(first, first + count)]


def bodies(count):
    return [str(number) for number in range(count)]


async def test_a_short_name_finds_an_agent_wherever_it_lives():
    async with met("c1", "c2", "c3") as ((c1, c2, c3), _, _network):
        (w1,), (w2,), (w3,) = await begin(c1, "w1"), await begin(c2, "w2"), await begin(c3, "w3")
        await started(c1, "boss", sending(*(Message(to=f"w{number}", body="hello") for number in (1, 2, 3))))
        await until_idle()
        assert [[(each.to, each.body) for each in worker.messages] for worker in (w1, w2, w3)] == [
            [(f"w{number}@c{number}.lab.localhost", "hello")] for number in (1, 2, 3)
        ]


async def test_from_the_second_message_on_they_go_straight_and_in_order():
    async with met("c1", "c2") as ((c1, c2), (finder, _), _network):
        collect = Collect()
        await started(c2, "w", collect)
        await started(c1, "boss", sending(*numbered("w", 50)))
        await until_idle()
        assert collect.bodies == bodies(50)
        assert finder.known("w") == "w@c2.lab.localhost"


async def test_answers_go_back_and_several_receivers_are_found():
    async with met("c1", "c2", "c3") as ((c1, c2, c3), _, _network):
        (w1,), (w2,), (w3,) = await begin(c1, "w1"), await begin(c2, "w2"), await begin(c3, "w3")
        await started(c1, "boss", sending(Message(to=("w1", "w2", "w3"), body="all")))
        await until_idle()
        assert [worker.bodies for worker in (w1, w2, w3)] == [["all"]] * 3
        assert w2.messages[0].to == tuple(f"w{number}@c{number}.lab.localhost" for number in (1, 2, 3))


async def test_a_name_that_nobody_has_fails_to_its_sender():
    async with met("c1", "c2") as ((c1, _), _finders, _network):
        collect = Collect()
        await started(c1, "boss", sending(Message(to="nobody", body="hello")), collect)
        await until_idle()
        letter, *_ = c1.dead_letters
        assert letter.reason == "no agent named 'nobody' lives on this local platform"
        assert [message.performative for message in collect.messages] == ["failure"]


async def test_an_agent_that_is_waking_is_found():
    async with met("c1", "c2") as ((c1, c2), _, _network):
        c2.dispatcher.hold(waking := HeldMessages("w@c2.lab.localhost", 0, AgentState.ACTIVE))
        await started(c1, "boss", sending(*numbered("w", 3)))
        await until_idle()
        assert [message.body for message in waking.messages] == bodies(3)
        c2.dispatcher.fail_held(waking.address, "it does not wake")


async def test_a_name_with_its_container_says_where_it_is():
    async with met("c1", "c2") as ((c1, c2), _, _network):
        await begin(c2, "w")
        await started(c1, "boss", sending(Message(to="w@c1", body="hello")))
        await until_idle()
        letter, *_ = c1.dead_letters
        assert letter.reason == "no agent named 'w' lives in container c1"


async def test_an_ended_agent_is_searched_again():
    async with met("c1", "c2", "c3") as ((c1, c2, c3), _, _network):
        (first,) = await begin(c2, "w")
        await started(c1, "boss", sending(Message(to="w", body="one")))
        await until_idle()
        await first.stop()
        await until_idle()
        (second,) = await begin(c3, "w")
        await started(c1, "other", sending(Message(to="w", body="two")))
        await until_idle()
        assert (first.bodies, second.bodies) == (["one"], ["two"])


async def test_a_container_that_is_lost_is_asked_no_more():
    async with met("c1", "c2", "c3") as ((c1, c2, c3), _, _network):
        await begin(c2, "w")
        await started(c1, "boss", sending(Message(to="w", body="one")))
        await until_idle()
        await c2.close()
        await until_idle()
        (second,) = await begin(c3, "w")
        await started(c1, "other", sending(Message(to="w", body="two")))
        await until_idle()
        assert second.bodies == ["two"]


async def test_nothing_is_sent_past_what_waits_until_a_micro_agents_partner_is_found():
    class Counting(MicroAgent):
        def handle(self, message):
            for each in numbered("w", 5, first=int(message.body)):
                self.send_nowait(each)

    async with met("c1", "c2") as ((c1, c2), _, network):
        network.delay = 0.01
        (w,) = await begin(c2, "w")
        await c1.start(Counting("counting"))
        await started(c1, "boss", sending(*(Message(to="counting", body=str(5 * each)) for each in range(9))))
        await until_idle()
        await asyncio.sleep(1)  # of virtual time
        assert w.bodies == bodies(45)


async def test_what_a_micro_agent_sends_to_nobody_fails():
    class Hopeful(Member):
        def handle(self, message):
            super().handle(message)
            if message.performative != "failure":
                self.send_nowait(Message(to=("nobody", "w")))

    async with met("c1", "c2") as ((c1, c2), _, _network):
        (w,) = await begin(c2, "w")
        hopeful = Hopeful("hopeful")
        await c1.start(hopeful)
        await started(c1, "boss", sending(Message(to="hopeful")))
        await until_idle()
        assert len(w.messages) == 1
        assert [message.performative for message in hopeful.messages] == [None, "failure"]


async def test_what_still_waits_when_a_container_ends_is_a_dead_letter():
    class Hopeful(MicroAgent):
        def handle(self, message):
            if message.performative != "failure":
                self.send_nowait(Message(to="w", body="late"))

    async with met("c1", "c2") as ((c1, c2), _, network):
        await begin(c2, "w")
        await c1.start(Hopeful("hopeful"))
        network.cut()
        await started(c1, "boss", sending(Message(to="hopeful")))
        await until_idle()
        assert c1.dead_letters.total == 0
    letter, *_ = c1.dead_letters
    assert letter.reason == "container c1 stopped before it had found w"


async def test_it_is_told_who_has_ended():
    async with joined("c1", "c2") as (c1, _, _network):
        gone = []
        finder = LocalNames(c1, gone.append)
        first, second = await begin(c1, "first", "second")
        await first.stop()
        await second.stop()
        await until_idle()
        assert [name for names in gone for name in names] == ["first", "second"]
        finder.close()


async def test_malformed_notes_are_dropped():
    async with met("c1", "c2") as (_, (finder, _), _network):
        for payload in (b"", b"\xc1", b"\x93abc"):
            with pytest.raises(ValueError, match="not a message about names"):
                finder.on_control("c2.lab.localhost", payload)
