"""Some begin in each turn of the loop, in the order in which they came; nobody is left waiting."""

from __future__ import annotations

import asyncio

import pytest

from formicary.mobility.turnstile import Turnstile


async def pass_through(turnstile, passed, name):
    if not turnstile.enters():
        await turnstile.wait()
    passed.append(name)


@pytest.mark.virtual_clock
async def test_those_that_find_no_room_in_a_turn_begin_in_later_ones_in_their_order():
    turnstile, passed = Turnstile(2), []
    tasks = [asyncio.ensure_future(pass_through(turnstile, passed, name)) for name in range(5)]
    await asyncio.sleep(0)
    assert passed == [0, 1]
    await asyncio.gather(*tasks)
    assert passed == [0, 1, 2, 3, 4]


@pytest.mark.virtual_clock
async def test_who_comes_while_others_wait_begins_behind_them():
    turnstile, passed = Turnstile(1), []
    assert turnstile.enters()
    first = asyncio.ensure_future(pass_through(turnstile, passed, "first"))
    await asyncio.sleep(0)
    turnstile.turn_ended()
    await pass_through(turnstile, passed, "second")
    assert passed == ["first", "second"]
    await first


@pytest.mark.virtual_clock
async def test_who_is_cancelled_takes_nobodys_place():
    turnstile, passed = Turnstile(1), []
    assert turnstile.enters()
    tasks = [asyncio.ensure_future(pass_through(turnstile, passed, name)) for name in range(3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.wait(tasks)
    assert passed == [1, 2]


@pytest.mark.virtual_clock
async def test_a_new_turn_begins_with_room_for_all_of_it():
    turnstile = Turnstile(2)
    assert [turnstile.enters() for _ in range(3)] == [True, True, False]
    turnstile.turn_ended()
    assert turnstile.enters()
