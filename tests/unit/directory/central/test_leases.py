"""Leases: what ends, when, in which order; and that renewing them costs no memory."""

from __future__ import annotations

import asyncio

import pytest

from formicary.directory.central.leases import Leases

pytestmark = pytest.mark.virtual_clock


def watched():
    """Return leases, and the list of what has ended: times and keys."""
    ended = []
    loop = asyncio.get_running_loop()
    start = loop.time()
    return Leases(lambda keys: ended.append((round(loop.time() - start, 6), keys))), ended


async def test_a_lease_ends_once_at_its_time():
    leases, ended = watched()
    leases.grant("b", 2)
    leases.grant("a", 1)
    assert len(leases) == 2
    await asyncio.sleep(10)
    assert ended == [(1, ["a"]), (2, ["b"])]
    assert len(leases) == 0


async def test_a_renewed_lease_ends_after_the_last_renewal():
    leases, ended = watched()
    for _ in range(5):
        leases.grant("a", 1)
        await asyncio.sleep(0.9)
    await asyncio.sleep(10)
    assert ended == [(4.6, ["a"])]


async def test_a_shortened_lease_ends_at_the_earlier_time_and_not_again():
    leases, ended = watched()
    leases.grant("a", 5)
    leases.grant("a", 1)
    await asyncio.sleep(10)
    assert ended == [(1, ["a"])]


async def test_a_cancelled_lease_does_not_end_and_can_be_granted_again():
    leases, ended = watched()
    leases.grant("a", 1)
    leases.grant("b", 2)
    leases.cancel("a")
    leases.cancel("a")
    assert "a" not in leases
    await asyncio.sleep(1.5)
    leases.grant("a", 1)
    await asyncio.sleep(10)
    assert ended == [(2, ["b"]), (2.5, ["a"])]


async def test_what_ends_at_the_same_time_is_told_in_one_call():
    leases, ended = watched()
    for number in range(1000):
        leases.grant(number, 3)
    await asyncio.sleep(10)
    assert ended == [(3, [*range(1000)])]


async def test_a_lease_may_be_granted_while_one_ends():
    ended = []

    def renew(keys):
        ended.append(keys)
        if len(ended) < 3:
            leases.grant("a", 1)

    leases = Leases(renew)
    leases.grant("a", 1)
    await asyncio.sleep(10)
    assert ended == [["a"]] * 3


async def test_nothing_ends_after_closing():
    leases, ended = watched()
    leases.grant("a", 1)
    leases.close()
    await asyncio.sleep(10)
    assert ended == []


async def test_renewing_and_granting_again_leave_nothing_behind():
    leases, _ = watched()
    leases.grant("stays", 1000)
    for number in range(10_000):
        leases.grant("stays", 1000 + number)
        leases.grant(number, 500)
        leases.cancel(number)
        leases.grant("shrinks", 100_000 - number)
    assert len(leases._heap) < 200
    leases.close()
