"""The largest agent that moves arrives by a link, and a larger one holds up nothing on it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.integration.mobility.travellers import HERE, Traveller, agent_in

from formicary import Container
from formicary.errors import MoveError

MIB = 1 << 20


@asynccontextmanager
async def two():
    async with (
        Container("c1", listen="127.0.0.1", accepts=HERE) as c1,
        Container("c2", join=c1.join_address, accepts=HERE) as c2,
    ):
        yield c1, c2


async def test_what_is_as_large_as_may_be_arrives_beside_others():
    async with two() as (c1, c2):
        names = ("large", "small", "tiny")
        sizes = (16 * MIB - 20_000, 200_000, 10)
        for name, size in zip(names, sizes, strict=True):
            agent = Traveller(name)
            agent.set("load", bytes(size))
            await c1.start(agent)
        await asyncio.gather(*(c1.management.move(name, "c2") for name in names))  # told in one turn
        assert [len(agent_in(c2, name).get("load")) for name in names] == list(sizes)


@pytest.mark.parametrize("registered", [0, 1000])
async def test_what_is_too_large_for_a_link_stays_and_holds_up_nobody(registered):
    async with two() as (c1, c2):
        large, small = Traveller("large"), Traveller("small")
        for agent in (large, small):
            await c1.start(agent)
        for number in range(registered):
            await large.directory.register("load", str(number), properties={"text": 10_000 * "x"})
        large.set("load", bytes(16 * MIB - 1000 - registered * 10_000))
        with pytest.raises(
            MoveError, match=r"^agent large cannot move: with its registrations .* leave some"
        ):
            await c1.management.move("large", "c2")
        await c1.management.move("small", "c2")
        assert agent_in(c2, "small")
        assert large.get("load")
        large.set("load", None)
        if not registered:
            await c1.management.move("large", "c2")
            assert agent_in(c2, "large")
