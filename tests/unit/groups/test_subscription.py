"""Being told who comes to play a role, and who plays it no longer."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.groups.crew import begin, full, joined

from formicary import Container, Services
from formicary.errors import GroupError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def said(change):
    return [
        sorted((agent.partition("@")[0], role) for agent, role in some) for some in (change.came, change.left)
    ]


async def test_a_subscriber_is_told_who_plays_and_then_of_all_changes():
    async with Container("c1") as c1:
        alice, bob, watcher = await begin(c1, "alice", "bob", "watcher")
        await alice.groups.create("market")
        async with watcher.groups.subscribe("market") as changes:
            assert said(await anext(changes)) == [[("alice", "manager")], []]
            await bob.groups.request_role("market", "seller")
            assert said(await anext(changes)) == [[("bob", "seller")], []]
            await bob.groups.request_role("market", "buyer")
            await bob.groups.leave_role("market", "seller")
            assert said(await anext(changes)) == [[("bob", "buyer")], [("bob", "seller")]]
            await alice.stop()
            await bob.stop()
            assert said(await anext(changes)) == [[], [("alice", "manager"), ("bob", "buyer")]]
        assert c1._facilities.services._groups._listeners == {}


async def test_only_the_role_and_the_group_matter_that_are_named():
    async with Container("c1") as c1:
        alice, watcher = await begin(c1, "alice", "watcher")
        async with watcher.groups.subscribe("market", "seller", community="shop") as changes:
            change = await anext(changes)
            assert (change.came, change.left) == ((), ())
            await alice.groups.create("market")
            await alice.groups.create("market", community="shop")
            await alice.groups.request_role("market", "buyer", community="shop")
            await alice.groups.request_role("market", "seller")
            await alice.groups.request_role("market", "seller", community="shop")
            change = await anext(changes)
            assert [tuple(player) for player in change.came] == [(*full("alice@c1"), "seller")]
            assert change.left == ()


async def test_what_is_undone_before_it_is_read_is_not_told():
    async with Container("c1") as c1:
        alice, bob, watcher = await begin(c1, "alice", "bob", "watcher")
        async with watcher.groups.subscribe("market") as changes:
            await alice.groups.create("market")
            await alice.groups.leave("market")
            assert said(await anext(changes)) == [[], []]  # the first comes in any case
            await alice.groups.create("market")
            await anext(changes)
            waiting = asyncio.ensure_future(anext(changes))
            await bob.groups.request_role("market", "seller")
            await bob.groups.leave("market")
            await alice.groups.leave("market")
            await alice.groups.create("market")
            await until_idle()
            if waiting.done():  # it was woken by what came, and found what has not changed
                assert said(await waiting) == [[], []]
                waiting = asyncio.ensure_future(anext(changes))
            await bob.groups.request_role("market", "buyer")
            assert said(await waiting) == [[("bob", "buyer")], []]


async def test_a_subscription_that_is_not_open_says_so():
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        with pytest.raises(GroupError, match="use it as: async with"):
            await anext(alice.groups.subscribe("market"))
        async with alice.groups.subscribe("market") as changes:
            pass
        with pytest.raises(GroupError):
            await anext(changes)


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_changes_elsewhere_are_told_and_so_is_the_end_of_a_container(directory):
    async with joined("c1", "c2", services=Services(directory=directory)) as (c1, c2, network):
        (alice,), (watcher,) = await begin(c1, "alice"), await begin(c2, "watcher")
        async with watcher.groups.subscribe("market") as changes:
            await anext(changes)
            await alice.groups.create("market")
            assert said(await anext(changes)) == [[("alice", "manager")], []]
            async with Container("c3", server=network, services=Services(directory=directory)) as c3:
                (carol,) = await begin(c3, "carol")
                await asyncio.sleep(1)
                await carol.groups.request_role("market", "seller")
                assert said(await anext(changes)) == [[("carol", "seller")], []]
            assert said(await anext(changes)) == [[], [("carol", "seller")]]


@pytest.mark.parametrize("directory", ["replica", "central"])
@pytest.mark.parametrize("creator", [0, 1])
async def test_a_role_is_watched_before_its_group_exists_and_after_it_has_ended(directory, creator):
    async with joined("c1", "c2", services=Services(directory=directory)) as containers:
        (watcher,), (cook,) = await begin(containers[0], "watcher"), await begin(containers[creator], "cook")
        async with watcher.groups.subscribe("crew", "cook") as changes:
            assert said(await anext(changes)) == [[], []]
            for _ in range(2):
                await cook.groups.create("crew")
                await cook.groups.request_role("crew", "cook")
                assert said(await anext(changes)) == [[("cook", "cook")], []]
                await cook.groups.leave("crew")
                assert said(await anext(changes)) == [[], [("cook", "cook")]]


async def test_who_goes_through_it_outside_of_any_agent_comes_to_the_end_with_the_container():
    async with Container("c1") as c1:
        (watcher,) = await begin(c1, "watcher")
        seen, ended = [], asyncio.Event()

        async def watch():
            async with watcher.groups.subscribe("market") as changes:
                seen.extend([said(change) async for change in changes])
                ended.set()

        watching = asyncio.create_task(watch())
        await until_idle()
        assert not ended.is_set()
    async with asyncio.timeout(10):
        await watching
    assert seen == [[[], []]]
