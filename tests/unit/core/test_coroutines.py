"""Coroutines that no task of asyncio runs."""

from __future__ import annotations

import asyncio
import inspect
import logging

import pytest
from tests.unit.core.agents import do, start

from formicary import Container
from formicary.core.coroutines import WAIT, coroutine_function, rest_of
from formicary.testing import run_virtual


@coroutine_function
def twice(first):
    second = yield first
    try:
        third = yield second
    except ValueError:
        third = "raised"
    return first, second, third


def test_a_function_that_yields_makes_coroutines_of_its_own_name():
    coroutine = twice(1)
    assert inspect.iscoroutinefunction(twice)
    assert asyncio.iscoroutine(coroutine)
    assert coroutine.__qualname__ == "twice"
    coroutine.close()


@pytest.mark.parametrize(("proceed", "third"), [("send", "sent"), ("throw", "raised")])
def test_what_was_run_to_where_it_waits_goes_on_as_the_rest_of_it(proceed, third):
    begun = twice(WAIT)
    rest = rest_of(begun, begun.send(None))
    assert rest.send(None) is WAIT
    assert rest.send(2) == 2
    with pytest.raises(StopIteration) as end:
        getattr(rest, proceed)("sent" if proceed == "send" else ValueError())
    assert end.value.value == (WAIT, 2, third)


def test_a_forgotten_await_of_receive_is_noticed():
    async def forget(behaviour):
        behaviour.receive()

    async def main():
        async with Container("c1") as container:
            behaviour = do(forget)
            await start(container, "a", behaviour)
            await behaviour.join()

    logging.captureWarnings(capture=False)
    with pytest.warns(RuntimeWarning, match=r"'Behaviour.receive' was never awaited"):
        run_virtual(main())
