"""Creating groups, playing roles and leaving them, in one container."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Deaf, start
from tests.unit.groups.crew import Member, begin, full, joined, players

from formicary import AgentState, Container, Services
from formicary.errors import (
    AdmissionError,
    AgentStateError,
    ContainerClosedError,
    DirectoryError,
    GroupExistsError,
    InvalidNameError,
    NameTakenError,
    NoSuchGroupError,
    NotAMemberError,
)
from formicary.groups.mailing import DISTRIBUTOR

pytestmark = pytest.mark.virtual_clock


async def test_who_creates_a_group_manages_it_and_others_play_roles_there():
    async with Container("c1") as c1:
        alice, bob, carol = await begin(c1, "alice", "bob", "carol")
        await alice.groups.create("market", community="shop")
        await bob.groups.request_role("market", "seller", community="shop")
        await bob.groups.request_role("market", "buyer", community="shop")
        await carol.groups.request_role("market", "seller", community="shop")
        assert await players(carol, "market", "manager", community="shop") == full("alice@c1")
        assert await players(carol, "market", "seller", community="shop") == full("bob@c1", "carol@c1")
        assert await players(alice, "market", community="shop") == full("alice@c1", "bob@c1", "carol@c1")
        assert sorted(await alice.groups.roles("market", community="shop")) == ["buyer", "manager", "seller"]
        assert await alice.groups.groups("shop") == ("market",)
        assert await alice.groups.communities() == ("shop",)
        assert await alice.groups.groups() == ()


async def test_a_role_that_is_played_already_is_played_on():
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        await alice.groups.create("market")
        await asyncio.gather(*(alice.groups.request_role("market", "seller") for _ in range(3)))
        await alice.groups.request_role("market", "manager")
        assert await alice.groups.roles("market") == ("manager", "seller")
        await alice.groups.leave_role("market", "seller")
        assert await alice.groups.roles("market") == ("manager",)


async def test_a_group_is_created_once_as_long_as_it_lasts():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        outcomes = await asyncio.gather(
            alice.groups.create("market"), bob.groups.create("market"), return_exceptions=True
        )
        assert [type(outcome) for outcome in outcomes] == [type(None), GroupExistsError]
        with pytest.raises(GroupExistsError, match="there is a group 'market' in the community 'public'"):
            await bob.groups.create("market", distributed=False)
        await bob.groups.create("market", exist_ok=True)
        assert await players(bob, "market", "manager") == full("alice@c1")
        await bob.groups.create("fair", exist_ok=True)
        assert await players(bob, "fair", "manager") == full("bob@c1")
        await bob.groups.create("market", community="other")
        await alice.groups.leave("market")
        await bob.groups.create("market")
        assert await players(alice, "market", "manager") == full("bob@c1")


async def test_a_group_lasts_until_its_last_member_has_left():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        await alice.groups.create("market")
        await bob.groups.request_role("market", "seller")
        await alice.groups.leave("market")
        assert await bob.groups.roles("market") == ("seller",)
        await alice.groups.request_role("market", "buyer")  # it is open, and needs no manager
        await alice.groups.leave_role("market", "buyer")
        await bob.groups.leave_role("market", "seller")
        assert await bob.groups.communities() == ()
        with pytest.raises(NoSuchGroupError, match="no group 'market' in the community 'public'; create it"):
            await bob.groups.request_role("market", "seller")


async def test_nobody_takes_over_as_manager():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        await alice.groups.create("market")
        with pytest.raises(AdmissionError, match="reserved for the creator of the group"):
            await bob.groups.request_role("market", "manager")


async def test_what_is_not_played_cannot_be_left():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        await alice.groups.create("market")
        for leaving in (bob.groups.leave("market"), alice.groups.leave("other")):
            with pytest.raises(NotAMemberError, match="is not in the group"):
                await leaving
        for leaving in (bob.groups.leave_role("market", "manager"), alice.groups.leave_role("market", "x")):
            with pytest.raises(NotAMemberError, match="does not play the role"):
                await leaving
        assert await players(alice, "market") == full("alice@c1")


@pytest.mark.parametrize("name", ["", "a/b", "a\nb", "x" * 256, None, 3])
async def test_what_is_no_name_is_refused_where_it_is_written(name):
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        for doing in (
            alice.groups.create(name),
            alice.groups.create("g", community=name),
            alice.groups.request_role(name, "r"),
            alice.groups.request_role("g", name),
            alice.groups.request_role("g", "r", community=name),
        ):
            with pytest.raises(InvalidNameError, match="1 to 255 printable characters without '/'"):
                await doing
        assert c1._facilities.services._groups.find("public", "g") is None


async def test_any_printable_text_is_a_name():
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        for name in ("x" * 255, "Grüße an alle", "a.b-c_d@e:f*?", "市場"):
            await alice.groups.create(name, community=name)
            await alice.groups.request_role(name, name, community=name)
            assert await alice.groups.roles(name, community=name) == ("manager", name)


async def test_who_ends_leaves_all_groups_however_it_ends():
    async with Container("c1") as c1:
        stopped, killed, left = await begin(c1, "stopped", "killed", "left")
        ended = await start(c1, "ended", Deaf())
        (watcher,) = await begin(c1, "watcher")
        await watcher.groups.create("market")
        for agent in (stopped, killed, left, ended):
            await agent.groups.request_role("market", "seller")
            await agent.groups.create(f"{agent.name}'s")
        await stopped.stop()
        await c1.management.kill("killed")
        await ended.stop()
        assert await players(watcher, "market", "seller") == full("left@c1")
        assert await watcher.groups.groups() == ("market", "left's")
        with pytest.raises(AgentStateError, match="has ended, so it cannot play a role"):
            await stopped.groups.request_role("market", "seller")
        with pytest.raises(AgentStateError):
            await stopped.groups.create("another", distributed=False)
        assert await watcher.groups.groups() == ("market", "left's")


async def test_an_agent_that_ends_while_it_asks_plays_nothing():
    async with joined("c1", "c2", services=Services(directory="central")) as (c1, c2, network):
        (alice,) = await begin(c1, "alice")
        (bob,) = await begin(c2, "bob")
        await alice.groups.create("market")
        await bob.groups.roles("market")
        network.delay = 1
        asking = asyncio.ensure_future(bob.groups.request_role("market", "seller"))
        await asyncio.sleep(0.5)
        await bob.stop()
        with pytest.raises(AgentStateError):
            await asking
        await asyncio.sleep(10)
        for agent in (alice, bob):
            assert await players(agent, "market") == full("alice@c1")
        assert len(await c1.directory.search(type="formicary-role")) == 1


async def test_agents_outside_a_container_have_no_groups():
    with pytest.raises(ContainerClosedError):
        _ = Member("alice").groups
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        groups = alice.groups
        await groups.create("market")
    assert alice.state is AgentState.GONE
    for doing in (groups.create("other"), groups.request_role("market", "x"), groups.roles("market")):
        with pytest.raises(ContainerClosedError):
            await doing


async def test_groups_that_are_not_distributed_are_known_in_one_container_only():
    async with joined("c1", "c2") as (c1, c2, _):
        (alice, bob), (carol,) = await begin(c1, "alice", "bob"), await begin(c2, "carol")
        await alice.groups.create("market", distributed=False)
        await bob.groups.request_role("market", "seller")
        await carol.groups.create("market")
        await asyncio.sleep(1)
        assert await players(bob, "market") == full("alice@c1", "bob@c1")
        assert await players(carol, "market") == full("carol@c2")
        assert await c2.directory.search(type="formicary-role", agent="bob@c1.lab.localhost") == ()
        await alice.groups.leave("market")
        await bob.stop()
        assert await players(alice, "market") == full("carol@c2")


async def test_the_name_that_groups_need_may_be_taken():
    async with Container("c1") as c1:
        alice, taker = await begin(c1, "alice", DISTRIBUTOR)
        with pytest.raises(NameTakenError, match="groups need the name 'formicary-groups'"):
            await alice.groups.create("market")
        await taker.stop()
        await alice.groups.create("market")
        with pytest.raises(NameTakenError):
            await c1.start(Member(DISTRIBUTOR))


async def test_a_role_that_the_directory_does_not_take_is_not_played():
    async with joined("c1", "c2", services=Services(directory="central")) as (c1, c2, network):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await alice.groups.create("market")
        await bob.groups.roles("market")
        network.cut()
        for doing in (
            bob.groups.request_role("market", "seller"),
            bob.groups.create("another", gatekeeper=lambda *_: True),
        ):
            with pytest.raises(DirectoryError, match="the directory cannot be reached"):
                await doing
        assert await bob.groups.communities() in {(), ("public",)}
        assert bob.address not in await bob.groups.agents("market")
        assert await bob.groups.agents("another") == ()
        assert c2._facilities.services._groups.own == {}
        assert c2._facilities.services._groups.admission._gatekeepers == {}
        network.heal()
        await asyncio.sleep(60)
        await bob.groups.request_role("market", "seller")
        await asyncio.sleep(1)
        assert await players(alice, "market") == full("alice@c1", "bob@c2")


async def test_who_is_cancelled_while_asking_plays_nothing_here_and_may_ask_again():
    async with joined("c1", "c2", services=Services(directory="central")) as (c1, c2, network):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await alice.groups.create("market")
        await bob.groups.roles("market")
        network.delay = 1
        asking = asyncio.create_task(bob.groups.request_role("market", "seller"))
        await asyncio.sleep(0.5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert await players(bob, "market") == full("alice@c1")
        await bob.groups.request_role("market", "seller")
        await asyncio.sleep(5)
        for agent in (alice, bob):
            assert await players(agent, "market") == full("alice@c1", "bob@c2")
