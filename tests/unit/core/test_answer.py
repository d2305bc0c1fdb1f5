"""Futures of which a strand hears in the same turn of the event loop."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import do, start

from formicary import Container
from formicary.core.answer import Answer
from formicary.testing import until_idle


async def waiting(container, future):
    """Start an agent that waits for a future; return its behaviour."""

    async def wait(behaviour):
        try:
            return await future
        except (ValueError, asyncio.CancelledError) as error:
            return error

    behaviour = do(wait)
    await start(container, f"a{len(container.agents)}", behaviour)
    await until_idle()
    return behaviour


@pytest.mark.virtual_clock
async def test_a_strand_goes_on_a_turn_of_the_loop_before_it_would_with_a_future():
    answer, future = Answer(loop=asyncio.get_running_loop()), asyncio.get_running_loop().create_future()
    async with Container("c1") as container:
        asked, other = await waiting(container, answer), await waiting(container, future)
        answer.settle("answer")
        future.set_result("future")
        await asyncio.sleep(0)
        assert (asked.result, other.result) == ("answer", None)
        await other.join()
        assert other.result == "future"


@pytest.mark.virtual_clock
async def test_a_task_waits_for_it_as_for_any_future():
    answer = Answer(loop=asyncio.get_running_loop())
    asyncio.get_running_loop().call_later(1, answer.settle, "answer")
    assert await answer == "answer"


@pytest.mark.virtual_clock
async def test_what_it_fails_with_is_raised_where_it_is_awaited():
    answer = Answer(loop=asyncio.get_running_loop())
    async with Container("c1") as container:
        behaviour = await waiting(container, answer)
        answer.fail(ValueError("mine"))
        await behaviour.join()
        assert repr(behaviour.result) == "ValueError('mine')"


@pytest.mark.virtual_clock
async def test_who_waits_hears_that_it_is_cancelled():
    answer = Answer(loop=asyncio.get_running_loop())
    async with Container("c1") as container:
        behaviour = await waiting(container, answer)
        assert answer.cancel("why")
        assert not answer.cancel()
        await behaviour.join()
        assert repr(behaviour.result) == "CancelledError('why')"
