"""What agents can do with the directory: the same, however it is built."""

from __future__ import annotations

import asyncio

import pytest
from tests.integration.directory.agents import Broken, Calling, Offering, View, in_memory, left_behind, names
from tests.unit.core.agents import Deaf, do, start

from formicary import Agent, AgentState, Container, Message, Services
from formicary.directory.model.query import Condition
from formicary.errors import (
    AgentStateError,
    AlreadyRegisteredError,
    ContainerClosedError,
    DirectoryError,
    InvalidDescriptionError,
    NotRegisteredError,
)
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock

ALL = pytest.mark.parametrize("design", ["replica", "central"])


@pytest.fixture(params=["same container", "another container", "alone"])
def places(request):
    """Say in which containers one registers, and another one searches."""
    return request.param


async def opened(stack, design, places):
    """Return the container that registers and the one that searches."""
    if places == "alone":
        container = await stack.enter_async_context(Container("c1", services=Services(directory=design)))
        return container, container
    c1, c2 = await stack.enter_async_context(in_memory(design, "c2"))
    return (c1, c1) if places == "same container" else (c2, c1)


@pytest.fixture
def stack():
    from contextlib import AsyncExitStack

    return AsyncExitStack()


@ALL
async def test_what_is_registered_is_found_changed_and_gone(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        bob = await start(here, "bob")
        put = await bob.directory.register(
            type="printer",
            name="p1",
            protocols=["fipa-request"],
            ontologies=["print"],
            languages=["json"],
            ownership="lab",
            properties={"dpi": 600, "formats": ["pdf", "ps"], "duplex": True},
        )
        assert put.agent == bob.address
        await until_idle()
        for found in (
            await there.directory.search(type="printer"),
            await bob.directory.search(name="p1"),
            await there.directory.search(
                type="printer", properties={"formats": "pdf"}, where=[Condition("dpi", ">=", 600)]
            ),
        ):
            assert found == (put,)
        assert await there.directory.search(type="printer", properties={"duplex": False}) == ()
        changed = await bob.directory.modify(type="scanner", name="p1")
        await until_idle()
        assert await there.directory.search(type="printer") == ()
        assert await there.directory.search(name="p1") == (changed,)
        await bob.directory.deregister("p1")
        await until_idle()
        assert await there.directory.search(name="p1") == ()


@ALL
async def test_a_name_is_registered_once_and_only_what_is_there_is_changed(design, places, stack):
    async with stack:
        here, _ = await opened(stack, design, places)
        bob = await start(here, "bob")
        for doing in (bob.directory.deregister(), bob.directory.deregister("p1")):
            with pytest.raises(NotRegisteredError):
                await doing
        with pytest.raises(NotRegisteredError):
            await bob.directory.modify(type="printer", name="p1")
        await bob.directory.register(type="printer")
        with pytest.raises(AlreadyRegisteredError):
            await bob.directory.register(type="scanner", name="printer")
        (found,) = await bob.directory.search(type="printer")
        assert found.name == "printer"
        with pytest.raises(NotRegisteredError):
            await bob.directory.deregister("other")
        await bob.directory.register(type="printer", name="p2")
        await bob.directory.deregister()
        assert await bob.directory.search(type="printer") == ()
        await bob.stop()
        await until_idle()
        assert left_behind(here) == []


@ALL
async def test_what_cannot_be_described_or_asked_is_refused(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        bob = await start(here, "bob")
        for wrong in (
            {"type": ""},
            {"type": 7},
            {"type": "a", "name": 7},
            {"type": "a", "protocols": "x"},
            {"type": "a", "properties": {"x": None}},
            {"type": "a", "properties": {"x": float("nan")}},
            {"type": "a", "properties": {"x": "y" * 20_000}},
            {"type": "formicary-group"},
        ):
            with pytest.raises(InvalidDescriptionError):
                await bob.directory.register(**wrong)
            with pytest.raises(InvalidDescriptionError):
                await bob.directory.modify(**wrong)
        for wrong in (
            {"max_results": 0},
            {"max_results": 1_000_000},
            {"protocols": 7},
            {"offset": -1},
        ):
            with pytest.raises(InvalidDescriptionError):
                await there.directory.search(type="a", **wrong)
            with pytest.raises(InvalidDescriptionError):
                there.directory.subscribe(type="a", **wrong)
        with pytest.raises(TypeError):
            await there.directory.search(colour="red")
        assert await there.directory.search(type="a") == ()
        assert left_behind(here) == []


@ALL
async def test_agents_register_before_their_behaviours_start(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        await here.start(Offering("bob", "printer", "scanner"))
        await until_idle()
        assert names(await there.directory.search(type="printer")) == [f"bob@{here.name}/printer"]


@ALL
async def test_a_micro_agent_registers_and_searches(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        cell = Calling("cell")
        await here.start(cell)
        for performative in ("register", "deregister"):
            cell.send_nowait(Message("cell", performative=performative, body="printer"))
            await until_idle()
            found = await there.directory.search(type="printer")
            assert len(found) == (performative == "register")
        assert len(cell.done) == 2


async def ended(agent):
    await agent.stop()


async def closed_behind(agent):
    agent.end_at_once()


@ALL
@pytest.mark.parametrize("end", [ended, closed_behind])
async def test_what_an_agent_offers_ends_with_it(design, places, stack, end):
    async with stack:
        here, there = await opened(stack, design, places)
        for kind in (Offering("bob", "printer", "scanner"), Calling("cell")):
            await here.start(kind)
            if isinstance(kind, Calling):
                await kind.directory.register(type="printer")
            await until_idle()
            assert len(await there.directory.search(type="printer")) == 1
            await end(kind)
            await until_idle()
            assert await there.directory.search() == ()
        assert left_behind(here) == []


@ALL
async def test_what_was_registered_in_a_setup_that_fails_is_gone(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)

        class Failing(Offering):
            async def setup(self):
                await super().setup()
                raise ValueError("failing")

        with pytest.raises(ValueError, match="failing"):
            await here.start(Failing("bob", "printer"))
        await until_idle()
        assert await there.directory.search() == ()
        assert left_behind(here) == []


@ALL
async def test_an_agent_whose_behaviour_raises_lives_on_and_so_do_its_services(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        bob = await start(here, "bob", Broken(), Deaf())
        await until_idle()
        assert bob.state is AgentState.ACTIVE
        assert len(await there.directory.search(type="broken")) == 1
        await bob.stop()
        await until_idle()
        assert await there.directory.search(type="broken") == ()


@ALL
async def test_what_agents_of_a_container_offer_ends_with_it(design):
    async with in_memory(design, "c3") as (c1, c3):
        await c3.start(Offering("carol", "printer"))
        async with Container("c2", server=c1.network, services=Services(directory=design)) as c2:
            await c2.start(Offering("bob", "printer"))
            await until_idle()
            assert len(await c1.directory.search(type="printer")) == 2
        await until_idle()
        for container in (c1, c3):
            assert names(await container.directory.search(type="printer")) == ["carol@c3/printer"]


@ALL
async def test_an_agent_that_has_ended_changes_nothing_of_another_one_of_its_name(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        old = Offering("bob", "scanner")
        await here.start(old)
        kept = old.directory
        await old.stop()
        await here.start(Offering("bob", "printer"))
        await until_idle()
        for doing in (
            kept.register(type="camera"),
            kept.modify(type="printer"),
            kept.deregister(),
            kept.deregister("printer"),
        ):
            with pytest.raises(AgentStateError, match="has ended"):
                await doing
        assert len(await there.directory.search(type="printer")) == 1


@ALL
async def test_there_is_no_directory_outside_of_an_open_container(design):
    agent = Agent("bob")
    with pytest.raises(ContainerClosedError):
        _ = agent.directory
    container = Container("c1", services=Services(directory=design))
    with pytest.raises(ContainerClosedError):
        _ = container.directory
    async with container:
        await container.start(agent)
        directory = agent.directory
    with pytest.raises(ContainerClosedError):
        _ = container.directory
    with pytest.raises(AgentStateError):
        await directory.register(type="printer")


@ALL
async def test_pages_of_a_large_answer_make_the_whole(design):
    async with in_memory(design, "c2") as (c1, c2):
        bob = await start(c2, "bob")
        for number in range(250):
            await bob.directory.register(type="printer", name=f"p{number}")
        await until_idle()
        assert len(await c1.directory.search(type="printer")) == 100
        found = []
        while page := await c1.directory.search(type="printer", max_results=60, offset=len(found)):
            found += page
        assert [each.name for each in found] == [f"p{number}" for number in range(250)]


# -- subscriptions ----------------------------------------------------------------------------------------


@ALL
async def test_a_subscriber_is_told_what_is_there_and_what_comes_and_goes(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        bob = await start(here, "bob")
        await bob.directory.register(type="printer", name="p1")
        await until_idle()
        async with View(there.directory, type="printer") as view:
            await until_idle()
            assert [name for _, name in view.known] == ["p1"]
            await bob.directory.register(type="printer", name="p2")
            await bob.directory.register(type="scanner", name="s1")
            await until_idle()
            assert [name for _, name in view.known] == ["p1", "p2"]
            await bob.directory.modify(type="scanner", name="p1")
            await until_idle()
            assert [name for _, name in view.known] == ["p2"]
            await bob.directory.modify(type="printer", name="p2", ownership="lab")
            await until_idle()
            assert view.known[bob.address, "p2"].ownership == "lab"
            await bob.stop()
            await until_idle()
            assert view.known == {}
        await until_idle()
        assert left_behind(there) == []


@ALL
async def test_the_first_change_has_all_that_is_there_and_may_be_empty(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        async with View(there.directory) as view:
            await until_idle()
            assert [(change.services, change.gone) for change in view.changes] == [((), ())]
        bob = await start(here, "bob")
        for number in range(300):
            await bob.directory.register(type=f"t{number}")
        await until_idle()
        async with there.directory.subscribe() as changes:
            async for change in changes:
                assert len(change.services) == 300
                break


@ALL
async def test_a_slow_subscriber_is_told_of_each_service_once_as_it_was_last(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        bob = await start(here, "bob")
        async with there.directory.subscribe(type="printer") as changes:
            await until_idle()
            assert (await anext(changes)).services == ()
            await bob.directory.register(type="printer", name="p1")
            await bob.directory.register(type="printer", name="p2")
            for number in range(20):
                await bob.directory.modify(type="printer", name="p2", properties={"number": number})
                await until_idle()
            await bob.directory.deregister("p1")
            await until_idle()
            change = await anext(changes)
            assert [dict(each.properties) for each in change.services] == [{"number": 19}]
            assert {each.name for each in change.gone} <= {"p1"}
            waiting = asyncio.ensure_future(anext(changes))
            await until_idle()
            assert not waiting.done()
            waiting.cancel()
            await bob.directory.register(type="printer", name="p3")
            await until_idle()
            assert [each.name for each in (await anext(changes)).services] == ["p3"]


@ALL
async def test_who_has_left_a_subscription_is_told_nothing_more(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)
        bob = await start(here, "bob")
        async with View(there.directory) as view:
            await until_idle()
        told = len(view.changes)
        await bob.directory.register(type="printer")
        await until_idle()
        assert len(view.changes) == told
        await bob.stop()
        await until_idle()
        assert left_behind(there) == left_behind(here) == []
        assert here.dead_letters.total == there.dead_letters.total == 0


@ALL
async def test_a_subscription_that_is_left_while_it_is_waited_for_ends(design):
    async with in_memory(design) as (c1,):
        subscription = c1.directory.subscribe()
        with pytest.raises(DirectoryError, match="use it as: async with"):
            await anext(subscription)
        async with subscription as changes:
            await anext(changes)
            waiting = asyncio.ensure_future(anext(changes))
            await until_idle()
        await until_idle()
        with pytest.raises(StopAsyncIteration):
            await waiting


@ALL
async def test_a_subscription_of_a_container_that_is_closed_ends(design):
    told = []

    async def follow(container):
        async with container.directory.subscribe() as changes:
            told.extend([change async for change in changes])

    async with in_memory(design, "c2") as (c1, c2):
        async with Container("c3", services=Services(directory=design)) as alone:
            tasks = [asyncio.create_task(follow(each)) for each in (c1, c2, alone)]
            await until_idle()
        await tasks[2]
    await asyncio.gather(*tasks)
    assert len(told) == 3


@ALL
async def test_an_agent_that_ends_takes_its_subscription_along(design, places, stack):
    async with stack:
        here, there = await opened(stack, design, places)

        async def follow(behaviour):
            async with behaviour.agent.directory.subscribe() as changes:
                async for _ in changes:
                    pass

        bob = await start(there, "bob", do(follow))
        await until_idle()
        await bob.stop()
        await until_idle()
        carol = await start(here, "carol")
        await carol.directory.register(type="printer")
        await until_idle()
        await carol.stop()
        await until_idle()
        assert left_behind(there) == []
        assert here.dead_letters.total == there.dead_letters.total == 0


# -- cancellation -----------------------------------------------------------------------------------------


async def register(agent):
    await agent.directory.register(type="printer")


async def modify(agent):
    await agent.directory.modify(type="scanner", name="kept")


async def deregister(agent):
    await agent.directory.deregister("kept")


async def search(agent):
    await agent.directory.search(type="printer")


async def subscribe(agent):
    async with agent.directory.subscribe() as changes:
        async for _ in changes:
            pass


@pytest.mark.parametrize("doing", [register, modify, deregister, search, subscribe])
@pytest.mark.parametrize("turns", range(9))
@ALL
async def test_who_is_cancelled_leaves_nothing_behind(design, doing, turns):
    async with in_memory(design, "c2") as (c1, c2):
        bob = await start(c2, "bob")
        await bob.directory.register(type="kept")
        task = asyncio.create_task(doing(bob))
        for _ in range(turns):
            await asyncio.sleep(0)
        is_done = task.done()
        task.cancel()
        await asyncio.wait([task])
        await until_idle()
        found = {each.name: each.type for each in await c1.directory.search()}
        assert found == {**expected(doing, is_done=is_done)}
        await bob.stop()
        await until_idle()
        assert left_behind(c2) == []
        assert await c1.directory.search() == ()
        df = c1.dispatcher.system_agents.get(f"df@{c1.domain}")
        assert df is None or len(df._subscriptions) == 0


def expected(doing, *, is_done):
    """Return the services after something was done, or was cancelled before it was."""
    services = {"kept": "kept"}
    if is_done and doing is register:
        services["printer"] = "printer"
    if is_done and doing is modify:
        services["kept"] = "scanner"
    if is_done and doing is deregister:
        del services["kept"]
    return services


async def test_what_was_cancelled_can_be_done_again_at_once():
    async with in_memory("central", "c2") as (c1, c2):
        bob = await start(c2, "bob")
        task = asyncio.create_task(register(bob))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        await bob.directory.register(type="printer", ownership="lab")
        await until_idle()
        (found,) = await c1.directory.search(type="printer")
        assert found.ownership == "lab"


# -- designs that differ ----------------------------------------------------------------------------------


@pytest.mark.parametrize("main", ["replica", "central"])
@pytest.mark.parametrize("other", ["replica", "central"])
async def test_a_container_with_another_directory_than_the_platforms_cannot_use_it(main, other, caplog):
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, services=Services(directory=main)) as c1,
        Container("c2", server=network, services=Services(directory=other)) as c2,
    ):
        await until_idle()
        bob = await start(c2, "bob")
        alice = await start(c1, "alice")
        await alice.directory.register(type="printer")
        if main == other:
            await bob.directory.register(type="scanner")
            assert caplog.records == []
            return
        sentence = (
            f"the platform's container c1 has directory='{main}' and container c2 has directory='{other}', "
            f"so they share no directory; open c2 with directory='{main}'"
        )
        directory = bob.directory
        for doing, arguments in (
            (directory.register, {"type": "scanner"}),
            (directory.modify, {"type": "scanner"}),
            (directory.deregister, {}),
            (directory.search, {"type": "printer"}),
            (c2.directory.search, {"type": "printer"}),
        ):
            with pytest.raises(DirectoryError) as raised:
                await doing(**arguments)
            assert str(raised.value) == sentence
        with pytest.raises(DirectoryError):
            bob.directory.subscribe()
        from_c1 = (
            f"container c2 has directory='{other}' and container c1 has directory='{main}', so they share no "
            "directory; open all with that of the platform's container c1"
        )
        assert sorted(record.getMessage() for record in caplog.records) == [from_c1, sentence]
