"""The look-up server: names and types, for a limited time."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.directory.asking import ALICE, begin, names, register, search, service

from formicary import Agent, Container, Services
from formicary.directory.designs import DIRECTORIES
from formicary.errors import DirectoryRequestError
from formicary.testing import MemoryNetwork, until_idle
from formicary_bench.subjects.variants.lookup import LookupAgent, LookupDirectory

pytestmark = pytest.mark.virtual_clock


async def looking(container, *askers, **options):
    """Start a look-up server and askers."""
    agent = LookupAgent(**options)
    await agent.open()
    await container.start(agent)
    return agent, *await begin(container, *askers)


async def test_services_are_found_by_name_or_type_until_their_time_is_over():
    async with Container("c1") as container:
        _, alice, bob = await looking(container, "alice", "bob")
        printer = service(name="p1", properties={"dpi": 600})
        assert await alice.ask(register(printer)) == [("inform", {"done": "register"})]
        await asyncio.sleep(299)
        assert await bob.ask(search(type="printer")) == [
            ("inform", {"done": "search", "services": [printer]})
        ]
        assert names(await bob.ask(search(name="p1"))) == ["p1"]
        assert names(await bob.ask(search(name="p1", properties={"dpi": 300}))) == []
        await asyncio.sleep(2)
        assert names(await bob.ask(search(name="p1"))) == []
        assert await alice.ask(register(printer)) == [("inform", {"done": "register"})]


async def test_nothing_prolongs_the_time():
    async with Container("c1") as container:
        _, alice = await looking(container, "alice", expiry=60)
        await alice.ask(register(service(name="a"), lease=1000))
        await alice.ask(register(service(name="b"), lease=10))
        await asyncio.sleep(9)
        modified = {"action": "modify", "services": [service(name="a"), service(name="b")], "lease": 1000}
        assert await alice.ask(modified) == [("inform", {"done": "modify"})]
        await asyncio.sleep(2)
        assert names(await alice.ask(search(type="printer"))) == ["a"]
        ((performative, said),) = await alice.ask({"action": "renew", "services": [service(name="a")]})
        assert (performative, said["error"]) == ("refuse", "unsupported-function")
        await asyncio.sleep(48)
        assert names(await alice.ask(search(type="printer"))) == ["a"]
        await asyncio.sleep(2)
        assert names(await alice.ask(search(type="printer"))) == []


@pytest.mark.parametrize(
    ("content", "performative", "more"),
    [
        ({"action": "subscribe", "query": {"type": "printer"}}, "subscribe", {"conversation_id": "c"}),
        ("", "cancel", {"conversation_id": "c"}),
        (search(), "request", {}),
        (search(agent=ALICE), "request", {}),
    ],
)
async def test_what_it_does_not_do_is_refused_with_a_sentence(content, performative, more):
    async with Container("c1") as container:
        _, alice = await looking(container, "alice")
        ((answer, said),) = await alice.ask(content, performative, **more)
        assert (answer, said["error"]) == ("refuse", "unsupported-function")
        assert said["message"].startswith("this directory ")


async def test_services_are_taken_back_and_belong_to_somebody():
    async with Container("c1") as container:
        _, alice, bob = await looking(container, "alice", "bob")
        await alice.ask(register(service(name="a")))
        ((_, said),) = await bob.ask({"action": "deregister", "agent": ALICE})
        assert said["error"] == "unauthorised"
        ((_, said),) = await alice.ask(register(service(name="a")))
        assert said["error"] == "already-registered"
        assert await alice.ask({"action": "deregister", "agent": ALICE}) == [
            ("inform", {"done": "deregister"})
        ]
        assert names(await bob.ask(search(name="a"))) == []
        ((_, said),) = await alice.ask({"action": "modify", "services": [service(name="a")]})
        assert said["error"] == "not-registered"


async def test_containers_may_come_and_go():
    async with Container("c1") as container:
        agent, alice = await looking(container, "alice")
        await alice.ask(register(service(name="b")))
        agent.container_joined("c1.lab.localhost", 1)
        agent.container_lost("c1.lab.localhost")
        assert names(await alice.ask(search(name="b"))) == ["b"]
        await agent.close()


@pytest.fixture
def lookup(monkeypatch):
    """Add the design to those that containers know."""
    monkeypatch.setitem(DIRECTORIES, "lookup", f"{LookupDirectory.__module__}:{LookupDirectory.__name__}")
    return "lookup"


async def test_containers_share_one_and_entries_stay_until_their_time_is_over(lookup):
    network = MemoryNetwork()
    async with Container("c1", server=network, services=Services(directory=lookup)) as c1:
        async with Container("c2", server=network, services=Services(directory=lookup)) as c2:
            alice, bob = Agent("alice"), Agent("bob")
            await c2.start(alice)
            await c2.start(bob)
            await alice.directory.register("printer")
            await alice.directory.modify("printer", properties={"dpi": 600})
            await bob.directory.register("scanner")
            await bob.stop()
            await until_idle()
            assert len(await c1.directory.search(type="scanner")) == 1
            assert len(await c1.directory.search(type="printer", properties={"dpi": 600})) == 1
            with pytest.raises(DirectoryRequestError, match="has no subscriptions"):
                async with c2.directory.subscribe(type="printer"):
                    pass
            with pytest.raises(DirectoryRequestError, match="by name or type"):
                await c2.directory.search(ownership="lab")
        await asyncio.sleep(301)
        assert await c1.directory.search(type="printer") == ()


async def test_a_service_is_taken_back(lookup):
    async with Container("c1", services=Services(directory=lookup)) as c1:
        alice = Agent("alice")
        await c1.start(alice)
        await alice.directory.register("printer")
        await alice.directory.deregister()
        assert await c1.directory.search(type="printer") == ()
