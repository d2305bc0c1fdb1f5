"""Auctions: who pays most, or first, gets it; late bids and dead bidders do no harm."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.protocols.agents import run

from formicary import Agent, Container
from formicary.errors import UsageError
from formicary.protocols import DutchAuction, EnglishAuction, Participant, Propose, responds
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


class Buyer(Agent):
    """Bids up to what it has, after some time."""

    def __init__(self, name, money, *, delay=0.0, ends_at=None):
        super().__init__(name)
        self.money = money
        self.delay = delay
        self.ends_at = ends_at
        self.heard = []

    @responds(EnglishAuction, DutchAuction)
    class Bid(Participant):
        async def cfp(self, call):
            agent = self.agent
            await asyncio.sleep(agent.delay)
            if agent.ends_at is not None and int(call.body) >= agent.ends_at:
                await agent.stop()
            return Propose(call.body) if int(call.body) <= agent.money else None

        def inform(self, message):
            self.agent.heard.append(message.body)

        def accept_proposal(self, message):
            self.agent.heard.append(f"leads at {message.body}")


def name(agent):
    return f"{agent}@c1.lab.localhost"


async def sell(kind, *buyers, **options):
    async with Container("c1") as container:
        for buyer in buyers:
            await container.start(buyer)
        names = [buyer.name for buyer in buyers]
        sale = await run(container, lambda b: getattr(b, kind)(names, "vase", **options))
        await until_idle()
        assert all(buyer.conversations.participation._joined == {} for buyer in container.agents)
        return sale


async def test_who_has_most_gets_it_for_what_the_others_do_not_pay():
    rich, poor = Buyer("rich", 100), Buyer("poor", 40)
    sale = await sell("english_auction", rich, poor, start=10, step=10)
    assert (sale.winner, sale.price) == (name("rich"), 50)
    assert rich.heard[0] == "vase"
    assert rich.heard[-1] == poor.heard[-1] == f"vase: {name('rich')} for 50"
    assert "leads at 50" in rich.heard


async def test_where_nobody_bids_it_is_not_sold():
    poor = Buyer("poor", 5)
    assert await sell("english_auction", poor, start=10, step=1) is None
    assert poor.heard == ["vase", "vase: unsold"]
    assert await sell("dutch_auction", Buyer("poor", 5), start=20, step=5, reserve=10) is None


async def test_the_first_who_bids_gets_it_where_the_price_falls():
    rich, poor = Buyer("rich", 60), Buyer("poor", 40)
    sale = await sell("dutch_auction", poor, rich, start=100, step=10, reserve=10)
    assert (sale.winner, sale.price) == (name("rich"), 60)
    assert poor.heard[-1] == f"vase: {name('rich')} for 60"


async def test_who_is_second_at_a_price_is_called_for_the_next_one():
    network = MemoryNetwork(delay=0.1)
    async with Container("c1", server=network) as house, Container("c2", server=network) as home:
        near, far = Buyer("near", 40), Buyer("far", 60)
        await house.start(near)
        await home.start(far)
        buyers = [near.address, far.address]
        sale = await run(house, lambda b: b.english_auction(buyers, "vase", start=10, step=10))
        assert (sale.winner, sale.price) == ("far@c2.lab.localhost", 40)
        await until_idle()


async def test_a_bid_for_an_earlier_price_does_not_count():
    slow, quick = Buyer("slow", 30, delay=1.5), Buyer("quick", 20)
    sale = await sell("english_auction", slow, quick, start=10, step=10, timeout=1)
    assert (sale.winner, sale.price) == (name("quick"), 10)


async def test_a_bidder_that_ends_is_out():
    mortal, other = Buyer("mortal", 100, ends_at=30), Buyer("other", 50)
    sale = await sell("english_auction", mortal, other, start=10, step=10)
    assert sale.winner == name("other")


async def test_prices_are_numbers_above_zero():
    for price in (0, -1, float("nan")):
        with pytest.raises(UsageError, match="must be a number above 0"):
            await sell("english_auction", start=price, step=1)
