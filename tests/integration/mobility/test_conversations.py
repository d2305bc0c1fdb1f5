"""Agents move between their conversations: they end those that they are in, or stay and say which."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.unit.core.agents import Do

from formicary import Agent, Container, MicroAgent
from formicary.errors import MoveError
from formicary.protocols import ContractNet, Propose, Request, responds
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


class Clerk(Agent):
    @responds(Request)
    async def work(self, message):
        await asyncio.sleep(float(message.body))
        return self.container.name

    @responds(ContractNet)
    def bid(self, call):
        answer = yield Propose("1")
        if answer.performative == "accept-proposal":
            yield "done"


class Sign(MicroAgent):
    @responds(Request)
    async def work(self, message):
        await asyncio.sleep(float(message.body))
        return self.container.name


@asynccontextmanager
async def two():
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, accepts="tests.integration.mobility") as c1,
        Container("c2", server=network, accepts="tests.integration.mobility") as c2,
    ):
        await until_idle()
        yield c1, c2


@pytest.mark.parametrize("kind", [Clerk, Sign])
async def test_a_participant_answers_before_it_leaves_and_later_requests_follow_it(kind):
    async with two() as (c1, c2):
        await c1.start(kind("clerk"))
        early = asyncio.create_task(c2.request("clerk@c1", "2"))
        await asyncio.sleep(1)
        moving = asyncio.create_task(c1.management.move("clerk", "c2"))
        await asyncio.sleep(0.5)
        meanwhile = [asyncio.create_task(each.request("clerk@c1", "0")) for each in (c1, c2)]
        assert (await early).body == "c1"
        await moving
        assert [(await answer).body for answer in meanwhile] == ["c2", "c2"]
        assert (await c1.request("clerk@c1", "0")).body == "c2"
        assert c1.dead_letters.total == c2.dead_letters.total == 0


@pytest.mark.parametrize("kind", [Clerk, Sign])
async def test_a_participant_whose_conversation_does_not_end_stays_and_says_so(kind):
    async with two() as (c1, c2):
        await c1.start(kind("clerk"))
        early = asyncio.create_task(c2.request("clerk@c1", "20"))
        await asyncio.sleep(1)
        meanwhile = asyncio.create_task(c2.request("clerk@c1", "0"))
        with pytest.raises(
            MoveError, match="takes part in a conversation by fipa-request with formicary-asker@c2"
        ):
            await c1.management.move("clerk", "c2")
        assert (await meanwhile).body == "c1"
        assert (await early).body == "c1"
        await c1.management.move("clerk", "c2")
        assert (await c1.request("clerk@c1", "0")).body == "c2"


async def test_a_bidder_stays_until_it_is_told_of_its_bid():
    async with two() as (c1, c2):
        await c1.start(Clerk("clerk"))
        async with c2.contract_net(["clerk@c1"], "a piano", timeout=3) as net:
            (bid,) = [bid async for bid in net.bids]
            moving = asyncio.create_task(c1.management.move("clerk", "c2"))
            await asyncio.sleep(1)
            assert (await net.award(bid)).body == "done"
        await moving
        assert (await c2.request("clerk@c1", "0")).body == "c2"


async def test_who_has_begun_a_conversation_ends_it_first():
    async with two() as (c1, c2):
        await c2.start(Clerk("clerk"))
        asker = Clerk("asker")
        await c1.start(asker)
        answer = asyncio.create_task(asker.request("clerk@c2", "2"))
        await asyncio.sleep(1)
        await c1.management.move("asker", "c2")
        assert answer.done()
        assert (await answer).body == "c2"


async def test_who_has_begun_one_that_does_not_end_stays_and_says_so():
    async with two() as (c1, c2):
        await c2.start(Clerk("clerk"))
        await c1.start(asker := Clerk("asker"))
        answer = asyncio.create_task(asker.request("clerk@c2", "20"))
        await asyncio.sleep(1)
        said = "it has begun a conversation by fipa-request with clerk@c2.lab.localhost, which did not end"
        with pytest.raises(MoveError, match=said):
            await c1.management.move("asker", "c2")
        assert (await answer).body == "c2"
        await c1.management.move("asker", "c2")


async def test_a_behaviour_that_leaves_in_its_own_conversation_is_told():
    async def leave(behaviour):
        async with behaviour.contract_net(["clerk@c2"], "x", timeout=3) as net:
            assert [bid.body async for bid in net.bids] == ["1"]
            with pytest.raises(
                MoveError, match="has begun a conversation by fipa-contract-net with clerk@c2"
            ):
                await behaviour.agent.move("c2")
        return "stays"

    async with two() as (c1, c2):
        await c2.start(Clerk("clerk"))
        await c1.start(agent := Clerk("asker"))
        agent.add_behaviour(behaviour := Do(leave))
        await behaviour.join()
        assert behaviour.result == "stays"
