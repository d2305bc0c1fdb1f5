"""What comes over a link for agents that are away from home, and from them."""

from __future__ import annotations

import asyncio

import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Deaf, do, reasons, start
from tests.unit.transport.link.test_link import Pair, send_all

from formicary import Agent, Message
from formicary.delivery.dead_letters import failure_of

pytestmark = pytest.mark.virtual_clock

CAROL = "carol@c3.lab.localhost"


async def visit(container, *behaviours):
    """Have an agent live in a container that has its home in another one."""
    agent = Agent("carol")
    for behaviour in behaviours:
        agent.add_behaviour(behaviour)
    agent.enter_container(container, CAROL)
    container.dispatcher.add_visitor(CAROL, agent)
    agent.become_active(container.scheduler, 10)
    return agent


class Way:
    """Leads to another container, whatever an agent's name says."""

    def __init__(self, end, domain):
        self.end, self.domain = end, domain

    def leads_to(self, domain):
        return domain == self.domain

    def post(self, message, receiver):
        return self.end.link.post(message, receiver)


async def test_a_visitor_gets_messages_and_answers_by_its_full_name():
    async with Pair() as (one, two):
        got, answers = Collect(), Collect()
        await visit(two.container, got, do(lambda carol: carol.send(Message(to="a@c1", body="hello"))))
        await start(one.container, "a", answers)
        await until(lambda: answers.messages)
        assert answers.messages[0].sender == CAROL
        one.container.dispatcher.forwarders[CAROL] = Way(one, "c2.lab.localhost")
        await start(one.container, "b", send_all(map(str, range(50)), to=CAROL))
        await until(lambda: len(got.messages) == 50)
        assert got.bodies == [str(number) for number in range(50)]
        assert one.container.dispatcher.routes[CAROL] == one.link.outbox.accept
        await asyncio.sleep(2)
        assert len(one.link.session.unconsumed) == 0  # receipts know visitors, too


async def test_a_visitor_that_is_slow_pauses_its_senders_elsewhere_and_is_awaited_by_receipts():
    async with Pair() as (one, two):
        deaf = await visit(two.container, Deaf())
        one.container.dispatcher.forwarders[CAROL] = Way(one, "c2.lab.localhost")
        await start(one.container, "b", send_all(map(str, range(500)), to=CAROL, pause=0.001))
        await until(lambda: CAROL in one.link.paused)
        waiting = len(one.link.session.unconsumed)
        assert 100 <= waiting < 300
        await deaf.stop()
        await until(lambda: CAROL not in one.link.paused)
        await asyncio.sleep(60)
        assert len(one.link.session.unconsumed) == 0


async def test_a_message_for_an_agent_of_a_third_container_that_is_not_here_fails():
    async with Pair() as (one, two):
        one.container.dispatcher.forwarders[CAROL] = Way(one, "c2.lab.localhost")
        await start(one.container, "b", send_all(["x"], to=CAROL), told := Collect())
        await until(lambda: told.messages)
        assert told.bodies == [
            "carol@c3.lab.localhost is not in container c2, and its container is not known"
        ]
        assert reasons(two.container) == told.bodies


async def test_who_is_no_member_cannot_speak_for_agents_of_others_and_is_told():
    async with Pair() as (one, two):
        two.is_member = lambda _: False
        two.link._arrivals.senders._is_believed = two.is_member
        got, told = Collect(), Collect()
        await start(two.container, "b", got)
        await visit(one.container, do(lambda carol: carol.send(Message(to="b@c2", body="I am carol"))), told)
        await until(lambda: told.messages)
        (why,) = reasons(two.container)
        assert why == (
            "container c1 is not known here as a member of the platform, and cannot speak for "
            "carol@c3.lab.localhost"
        )
        assert told.bodies == [why]
        assert not got.messages


class Elsewhere:
    """Takes what comes for an agent, wherever that is."""

    def __init__(self):
        self.taken = []

    def take(self, message, receiver, source):
        self.taken.append((message.sender, receiver, source.domain))

    def forget(self, source):
        pass


@pytest.mark.parametrize("is_away", [False, True])
@pytest.mark.parametrize("receiver", ["b@c2.lab.localhost", CAROL, "dave@c3.lab.localhost"])
async def test_who_is_no_member_can_pass_on_that_something_has_failed_in_its_own_name(receiver, is_away):
    async with Pair() as (one, two):
        two.link._arrivals.senders._is_believed = lambda _: False
        got, elsewhere = Collect(), Elsewhere()
        await visit(two.container, *([got] if receiver == CAROL else []))
        await start(two.container, "b", *([] if receiver == CAROL else [got]))
        two.container.dispatcher.take_stray = elsewhere.take
        if is_away:
            two.container.dispatcher.overflow.divert(receiver, elsewhere)
        message = Message(to="x@c4.lab.localhost", sender=receiver)
        failure = failure_of(message, "ams@c4.lab.localhost", "x@c4.lab.localhost", "why")
        one.link.outbox.keep(failure, receiver)
        await asyncio.sleep(2)
        if is_away or receiver.startswith("dave"):
            assert elsewhere.taken == [("ams@c1.lab.localhost", receiver, "c1.lab.localhost")]
        else:
            assert [(it.sender, it.body) for it in got.messages] == [("ams@c1.lab.localhost", "why")]
        assert reasons(two.container) == []
        assert len(one.link.session.unconsumed) == 0
