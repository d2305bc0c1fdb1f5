"""Failing many messages, some in each turn of the loop."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from tests.integration.transport.raw import next_turn

from formicary.transport.link import failing as module
from formicary.transport.link.failing import Failing


def make():
    failed = []
    return Failing(lambda message, receiver, reason: failed.append((message, receiver, reason))), failed


def letters(first, count):
    return [(number, "bob") for number in range(first, first + count)]


async def test_a_few_fail_at_once():
    failing, failed = make()
    failing.add(letters(0, 3), "gone")
    assert failed == [(0, "bob", "gone"), (1, "bob", "gone"), (2, "bob", "gone")]
    assert failing.is_empty


async def test_many_fail_in_order_and_between_them_others_have_their_turn():
    failing, failed = make()
    failing.add(letters(0, 1000), "gone")
    assert not failing.is_empty
    turns = [len(failed)]

    def look():
        turns.append(len(failed))
        if not failing.is_empty:
            asyncio.get_running_loop().call_soon(look)

    look()
    failing.add(letters(1000, 10), "gone again")
    while not failing.is_empty:
        await next_turn()
    assert [message for message, _, _ in failed] == list(range(1010))
    assert all(late - early <= module._SLICE for early, late in pairwise(turns))
    assert failed[-1][2] == "gone again"


async def test_what_is_left_can_be_finished_at_once():
    failing, failed = make()
    failing.add(letters(0, 1000), "gone")
    failing.finish()
    assert len(failed) == 1000
    await asyncio.sleep(0)
    assert failing.is_empty


async def test_what_raises_does_not_end_it():
    failed = []

    def undeliverable(message, receiver, reason):
        failed.append((message, receiver, reason))
        if message == 150:
            raise ZeroDivisionError

    caught = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: caught.append(context["exception"]))
    failing = Failing(undeliverable)
    failing.add(letters(0, 400), "gone")
    while not failing.is_empty:
        await next_turn()
    assert len(failed) == 400
    assert len(caught) == 1
