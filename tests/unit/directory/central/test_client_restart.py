"""What is left when a directory starts again, and which containers it waits for."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.unit.directory.asking import ALICE, begin, content, load, names, register, search, service

from formicary import Container
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.language import Subscribe, encode
from formicary.directory.model.query import Query
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock

C2 = "c2.lab.localhost"
BOB = f"bob@{C2}"
CAROL = "carol@c3.lab.localhost"
OUTSIDE = "eve@example.org"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "df.sqlite"


@asynccontextmanager
async def started(path, network=None):
    """Give a directory with a file, and an agent beside it that may write for all."""
    async with Container("c1", server=network) as container:
        df = DirectoryAgent(path=path, may_write=lambda sender, agent: True)
        await df.open()
        await container.start(df)
        try:
            yield df, *await begin(container, "asker")
        finally:
            await df.close()


def everywhere():
    return [service(agent, name=agent.partition("@")[0]) for agent in (ALICE, BOB, CAROL, OUTSIDE)]


async def test_own_agents_are_gone_at_once_and_others_are_there_again(path):
    async with started(path) as (_, asker):
        await asker.ask(register(*everywhere()))
    async with started(path) as (_, asker):
        asker.tell(search())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert names([(message.performative, content(message)) for message in asker.messages]) == [
            "bob",
            "carol",
            "eve",
        ]
    assert services_in(path) == ["bob", "carol", "eve"]


def services_in(path):
    return [name for kind, name in load(path) if kind == "service"]


async def test_containers_that_do_not_join_in_time_are_lost(path):
    async with started(path) as (df, asker):
        df.container_joined(C2, 1)
        await asker.ask(register(*everywhere()))
    async with started(path) as (df, asker):
        await asyncio.sleep(39)
        df.container_joined(C2, 1)
        assert names(await asker.ask(search())) == ["bob", "carol", "eve"]
        await asyncio.sleep(2)
        assert names(await asker.ask(search())) == ["bob", "eve"]
        await asyncio.sleep(10_000)
        assert names(await asker.ask(search())) == ["bob", "eve"]
    assert services_in(path) == ["bob", "eve"]


@pytest.mark.parametrize("has_file", [True, False])
async def test_what_comes_behind_the_end_of_its_container_goes(path, has_file):
    async with started(path if has_file else None) as (df, asker):
        df.container_joined(C2, 1)
        df.container_lost(C2)
        await asker.ask(register(*everywhere()))  # it was on its way
        assert "bob" in names(await asker.ask(search()))
        await asyncio.sleep(41)
        assert "bob" not in names(await asker.ask(search()))
        await asker.ask(register(service(BOB, name="bob")))
        df.container_joined(C2, 2)
        await until_idle()
        assert "bob" not in names(await asker.ask(search()))
        await asker.ask(register(service(BOB, name="bob")))
        await asyncio.sleep(1000)
        assert "bob" in names(await asker.ask(search()))


async def test_nothing_is_lost_for_want_of_joining_before_a_restart(path):
    async with started(path) as (_, asker):
        await asker.ask(register(*everywhere()))
        await asyncio.sleep(10_000)
        assert len(names(await asker.ask(search()))) == 4


async def test_leases_begin_anew_with_the_directory(path):
    async with started(path) as (_, asker):
        await asker.ask(register(service(OUTSIDE), lease=60))
        await asyncio.sleep(50)
    async with started(path) as (_, asker):
        await asyncio.sleep(50)
        assert len(names(await asker.ask(search()))) == 1
        await asyncio.sleep(20)
        assert names(await asker.ask(search())) == []
    assert services_in(path) == []


@pytest.mark.parametrize(("has_file", "restarts"), [(False, False), (True, False), (True, True)])
async def test_another_container_of_the_name_does_not_inherit(path, restarts, has_file):
    where = path if has_file else None
    async with started(where) as (df, asker):
        df.container_joined(C2, 1)
        await asker.ask(register(*everywhere()))
        df.container_joined(C2, 1)  # the link to it has begun again
        assert len(names(await asker.ask(search()))) == 4
        if not restarts:
            df.container_joined(C2, 2)
            await until_idle()
            assert names(await asker.ask(search())) == ["alice", "carol", "eve"]
    if restarts:
        async with started(where) as (df, asker):
            df.container_joined(C2, 2)
            await until_idle()
            assert names(await asker.ask(search())) == ["carol", "eve"]
            df.container_joined(C2, 2)
            await asker.ask(register(service(BOB, name="new")))
            await asyncio.sleep(1000)
            assert names(await asker.ask(search())) == ["eve", "new"]


@pytest.mark.parametrize("has_file", [True, False])
async def test_all_of_a_container_that_is_lost_goes_and_nothing_else(path, has_file):
    async with started(path if has_file else None) as (df, asker):
        alike = [service(f"bob@{domain}") for domain in ("xc2.lab.localhost", "c2.lab.localhost.org")]
        await asker.ask(register(*everywhere(), *alike))
        df.container_joined(C2, 1)
        df.container_lost(C2)
        await until_idle()
        found = await asker.ask(search())
        assert names(found) == ["alice", "carol", "eve", "printer", "printer"]
        df.container_lost(C2)
        df.container_lost("c9.lab.localhost")
        await until_idle()
        assert await asker.ask(search()) == found
    if has_file:
        assert [key for key in load(path) if key[0] == "member"] == []


async def test_subscriptions_are_there_again(path):
    network = MemoryNetwork()
    async with Container("c2", server=network) as c2:
        (bob,) = await begin(c2, "bob")
        async with started(path, network) as (df, asker):
            df.container_joined(C2, 1)
            for conversation_id, query in (("one", Query(type="printer")), ("two", Query(name="x"))):
                await bob.ask(encode(Subscribe(query)), "subscribe", conversation_id=conversation_id)
            await asker.ask(encode(Subscribe(Query())), "subscribe", conversation_id="own")
        async with started(path, network) as (df, asker):
            df.container_joined(C2, 1)
            assert len(df._subscriptions) == 2
            await asker.ask(register(service(CAROL)))
            assert [message.conversation_id for message in bob.messages] == ["one"]
            del bob.messages[:]
            await bob.ask("", "cancel", conversation_id="one")
        async with started(path, network) as (df, _):
            assert len(df._subscriptions) == 1
            df.container_lost(C2)
            await until_idle()
            assert len(df._subscriptions) == 0
    assert [key for key in load(path) if key[0] == "subscription"] == []


async def test_subscribers_outside_are_told_anew_as_they_may_have_missed_something(path):
    network = MemoryNetwork()
    async with Container("c9", platform="example.org", server=network) as outside:
        (eve,) = await begin(outside, "eve")
        async with started(path, network) as (_, asker):
            await asker.ask(register(*everywhere()))
            await eve.ask(encode(Subscribe(Query())), "subscribe", conversation_id="c")
            assert len(eve.messages) == 0
        async with started(path, network):
            await until_idle()
            (said,) = eve.informs()
            assert said["anew"]
            assert [each["name"] for each in said["services"]] == ["bob", "carol", "eve"]
