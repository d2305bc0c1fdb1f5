"""Some begin in each turn of the loop, in the order in which they came; nobody is left waiting."""

from __future__ import annotations

import asyncio

import pytest

from formicary.mobility.limiter import Limiter


async def pass_through(limiter, passed, name):
    if not limiter.enters():
        await limiter.wait()
    passed.append(name)


@pytest.mark.virtual_clock
async def test_those_that_find_no_room_in_a_turn_begin_in_later_ones_in_their_order():
    limiter, passed = Limiter(2), []
    tasks = [asyncio.ensure_future(pass_through(limiter, passed, name)) for name in range(5)]
    await asyncio.sleep(0)
    assert passed == [0, 1]
    await asyncio.gather(*tasks)
    assert passed == [0, 1, 2, 3, 4]


@pytest.mark.virtual_clock
async def test_who_comes_while_others_wait_begins_behind_them():
    limiter, passed = Limiter(1), []
    assert limiter.enters()
    first = asyncio.ensure_future(pass_through(limiter, passed, "first"))
    await asyncio.sleep(0)
    limiter.turn_ended()
    await pass_through(limiter, passed, "second")
    assert passed == ["first", "second"]
    await first


@pytest.mark.virtual_clock
async def test_who_is_cancelled_takes_nobodys_place():
    limiter, passed = Limiter(1), []
    assert limiter.enters()
    tasks = [asyncio.ensure_future(pass_through(limiter, passed, name)) for name in range(3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.wait(tasks)
    assert passed == [1, 2]


@pytest.mark.virtual_clock
async def test_a_new_turn_begins_with_room_for_all_of_it():
    limiter = Limiter(2)
    assert [limiter.enters() for _ in range(3)] == [True, True, False]
    limiter.turn_ended()
    assert limiter.enters()
