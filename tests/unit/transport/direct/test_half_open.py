"""Which half-open connections have to go when there are too many, and when."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from tests.integration.transport.raw import until

from formicary.transport.direct import half_open as module
from formicary.transport.direct.half_open import HalfOpen

pytestmark = pytest.mark.virtual_clock

ATTACKER, MEMBER = ("192.0.2.1", 40000), ("192.0.2.7", 40000)


class Connection:
    """One that stays half open until it is pushed out; then it takes as long to close."""

    family = 0

    def __init__(self, closes_in=0.0):
        self.closes_in = closes_in
        self.begun = lambda: None
        self.is_open = True

    async def be_welcomed(self):
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(self.closes_in)
            self.is_open = False


@pytest.fixture
def crowded(monkeypatch):
    """Give a function that makes some with room for 4, and the counter."""
    monkeypatch.setattr(module, "MOST", 4)
    dropped = Counter()

    async def welcome(connected, is_tcp, begun):
        assert not is_tcp
        connected.begun = begun
        await connected.be_welcomed()

    return HalfOpen(welcome, dropped), dropped


async def fill(half_open, *addresses, closes_in=0.0):
    added = []
    for address in addresses:
        added.append(Connection(closes_in))
        half_open.add(added[-1], address)
        await asyncio.sleep(0.001)
    return added


def now():
    return asyncio.get_running_loop().time()


async def test_there_is_room_until_there_are_too_many(crowded):
    half_open, dropped = crowded
    await fill(half_open, *[ATTACKER] * 4)
    before = now()
    await half_open.make_room()
    assert (now(), dropped) == (before, {})
    await half_open.close()


async def test_who_was_kept_for_longest_goes_and_counts_until_it_is_closed(crowded):
    half_open, dropped = crowded
    first, *others = await fill(half_open, *[ATTACKER] * 5, closes_in=10)
    before = now()
    await half_open.make_room()
    assert not first.is_open
    assert all(other.is_open for other in others)
    assert len(half_open) == 4
    assert dropped == {"too many at once": 1}
    assert now() - before >= 10
    await half_open.close()
    assert not any(other.is_open for other in others)


async def test_everybody_has_a_moment_and_who_has_said_something_a_longer_one(crowded):
    half_open, _ = crowded
    start = now()
    said, silent, *others = await fill(half_open, *[ATTACKER] * 5)
    said.begun()
    await half_open.make_room()
    assert (said.is_open, silent.is_open) == (True, False)
    assert now() - start == pytest.approx(0.1, abs=0.01)
    others += await fill(half_open, ATTACKER)
    for other in others:
        other.begun()
    await half_open.make_room()
    assert not said.is_open
    assert all(other.is_open for other in others)
    assert now() - start == pytest.approx(0.5, abs=0.01)
    await half_open.close()


async def test_a_stranger_pushes_out_its_own_before_those_of_others(crowded):
    half_open, dropped = crowded
    (member,) = await fill(half_open, MEMBER)
    for number in range(20):
        await fill(half_open, (ATTACKER[0], number))
        await half_open.make_room()
    assert member.is_open
    assert dropped == {"too many at once": 17}
    await half_open.close()


async def test_the_addresses_of_one_network_of_ipv6_are_one_stranger(crowded):
    half_open, _ = crowded
    (member,) = await fill(half_open, ("2001:db8:0:7::1", 1, 0, 0))
    for number in range(1, 9):
        await fill(half_open, (f"2001:db8:0:1::{number}%eth0", 1, 0, 0))
        await half_open.make_room()
    assert member.is_open
    await half_open.close()


async def test_one_that_ends_by_itself_leaves_its_place(crowded):
    half_open, dropped = crowded
    ending = []

    async def welcome(*_):
        ending.append(asyncio.get_running_loop().create_future())
        await ending[-1]

    half_open._welcome = welcome
    await fill(half_open, *[""] * 5)
    waiting = asyncio.create_task(half_open.make_room())
    ending[3].set_result(None)
    await until(waiting.done)
    assert (len(half_open), dropped) == (4, {})
    await half_open.close()


async def test_where_few_files_may_be_open_fewer_connections_may(monkeypatch):
    monkeypatch.setattr(module, "descriptor_limit", lambda: 20)

    async def welcome(connected, _, __):
        await connected.be_welcomed()

    half_open = HalfOpen(welcome, Counter())
    await fill(half_open, *[ATTACKER] * 5)
    await half_open.make_room()
    assert len(half_open) == 20 // 8
    await half_open.close()
