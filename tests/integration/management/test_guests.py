"""Guests: containers that ask about a platform without being part of it."""

from __future__ import annotations

import json

import pytest
from tests.integration.management.crew import CREW
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, start

from formicary import Agent, Container, Message, Services
from formicary.directory.language import ENQUIRIES
from formicary.errors import DirectoryError, ManagementError, MoveError, UsageError


def guest_of(container, name="guest"):
    return Container(name, join=container.join_address, guest=True)


def told(container):
    """Give who is told by a container of changes to the directory."""
    return container._facilities.services._enquiries._subscribers


async def test_a_guest_sees_all_and_is_seen_nowhere(platform):
    async with platform("c1", "c2") as (c1, c2):
        await start(c2, "alice")
        async with guest_of(c1) as guest:
            assert (await guest.management.describe("c1")).is_main
            domains = ["c1.lab.localhost", "c2.lab.localhost"]
            assert [each.domain for each in await guest.management.list_containers()] == domains
            assert sorted(c1.members) == sorted(c2.members) == domains
            assert guest.members == {"c1.lab.localhost": 0}
            [found] = await guest.management.list_agents()
            assert found == await guest.management.find("alice@c2")
            assert [each.domain for each in await c2.management.list_containers()] == domains


async def test_a_guest_s_short_names_are_those_of_the_platform_s_container(platform):
    async with platform("c1") as (c1,), guest_of(c1) as guest:
        assert await guest.management.create(f"{CREW}:Clerk", "clerk") == "clerk@c1.lab.localhost"
        await guest.management.suspend("clerk")
        assert (await guest.management.find("clerk")).state.value == "suspended"
        await guest.management.kill("clerk")
        assert await guest.management.list_agents() == ()
        with pytest.raises(ManagementError, match="no agent named 'clerk' lives in container c1"):
            await guest.management.resume("clerk")


async def test_agents_of_guests_talk_and_register_nothing(platform):
    async with platform("c1") as (c1,), guest_of(c1) as guest:
        got = Collect()
        await start(c1, "bob", got)
        visitor = Agent("visitor")
        await guest.start(visitor)
        await guest.dispatcher.send(Message(to="bob@c1", sender=visitor.address, body="hello"))
        await until(lambda: [message.sender for message in got.messages] == [visitor.address])
        with pytest.raises(DirectoryError, match="lives in a guest of the platform"):
            await visitor.directory.register("printer")
        with pytest.raises(DirectoryError, match="lives in a guest of the platform"):
            await visitor.directory.deregister()
        with pytest.raises(MoveError, match="an agent in a guest of the platform cannot move"):
            await visitor.move("c1")
        assert await c1.directory.search() == ()


async def test_a_guest_finds_more_than_one_answer_holds(platform):
    async with platform("c1") as (c1,), guest_of(c1) as guest:
        agent = await start(c1, "alice")
        for number in range(1000):
            await agent.directory.register("page", f"p{number}", properties={"text": "x" * 600})
        names = [f"p{number}" for number in range(1000)]
        found = await guest.directory.search(type="page", max_results=10_000)
        assert [service.name for service in found] == names
        some = await guest.directory.search(type="page", max_results=700, offset=50)
        assert [service.name for service in some] == names[50:750]


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_a_guest_is_told_of_changes_as_long_as_it_is_there(platform, directory):
    async with platform("c1", services=Services(directory=directory)) as (c1,):
        agent = await start(c1, "alice")
        for number in range(250):
            await agent.directory.register("page", f"p{number}")
        async with guest_of(c1) as guest:
            async with guest.directory.subscribe(type="page") as changes:
                assert len((await anext(changes)).services) == 250
                await agent.directory.deregister("p7")
                assert [gone.name for gone in (await anext(changes)).gone] == ["p7"]
                assert len(told(c1)) == 1
            await until(lambda: not told(c1))
            changes = guest.directory.subscribe(type="page")
            await changes.__aenter__()
            assert len(told(c1)) == 1
        await until(lambda: not told(c1))


async def test_nobody_is_told_whose_link_has_ended(platform):
    async with platform("c1") as (c1,), guest_of(c1) as guest, guest.directory.subscribe():
        assert len(told(c1)) == 1
        c1.peers.ended(guest.domain)  # as when it was killed
        await until(lambda: not told(c1))


async def test_a_guest_knows_when_the_platform_s_container_has_gone(platform):
    async with platform("c1") as (c1,):
        guest = guest_of(c1)
        await guest.__aenter__()
        await until(lambda: guest.members == {c1.domain: 0})
    await until(lambda: not guest.members)
    with pytest.raises(ManagementError, match="c1"):
        await guest.management.list_containers()
    await guest.__aexit__(None, None, None)


async def test_a_guest_answers_nobody(platform, asker):
    async with platform("c1") as (c1,), guest_of(c1) as guest:
        asked = await asker(c1)
        name = asked.send("ams@guest", {"action": "search"})
        await until(lambda: asked.answers(name))
        assert [message.performative for message in asked.answers(name)] == ["not-understood"]
        assert guest.dead_letters.total == 0


@pytest.mark.parametrize(
    ("changes", "content", "refusal"),
    [
        ({}, "{", ("not-understood", "unrecognised-value")),
        ({}, {"action": "deregister", "agent": "a@c1.lab.localhost"}, ("refuse", "unsupported-function")),
        ({}, {"action": "search", "query": {"max_results": 0}}, ("refuse", "unrecognised-parameter-value")),
        ({"performative": "propose"}, {"action": "search"}, ("not-understood", "unsupported-act")),
        ({"language": "lisp"}, {"action": "search"}, ("not-understood", "unsupported-value")),
        (
            {"performative": "subscribe", "conversation_id": None},
            {"action": "subscribe", "query": {}},
            ("refuse", "missing-parameter"),
        ),
    ],
)
async def test_what_cannot_be_asked_is_refused(platform, asker, changes, content, refusal):
    async with platform("c1") as (c1,):
        asked = await asker(c1)
        name = asked.send("ams", content, ontology=ENQUIRIES, **changes)
        await until(lambda: asked.answers(name))
        [answer] = asked.answers(name)
        assert (answer.performative, json.loads(answer.body)["error"]) == refusal
        assert not told(c1)


async def test_a_conversation_is_one_subscription_and_only_its_own_agent_ends_it(platform, asker):
    async with platform("c1") as (c1,):
        alice, mallory = await asker(c1, "alice"), await asker(c1, "mallory")
        options = {"ontology": ENQUIRIES, "performative": "subscribe", "conversation_id": "talk"}
        content = {"action": "subscribe", "query": {}}
        name = alice.send("ams", content, **options)
        await until(lambda: alice.answers(name))
        again = mallory.send("ams", content, **options)
        await until(lambda: mallory.answers(again))
        assert json.loads(mallory.answers(again)[0].body)["error"] == "already-registered"
        for performative in ("cancel", "failure"):
            mallory.send("ams", "", **{**options, "performative": performative})
        await mallory.ask("ams", {"action": "search"})  # so they have been taken
        assert list(told(c1)) == ["talk"]
        await alice.agent.stop()
        await start(c1, "bob")
        await c1.agents[-1].directory.register("printer")  # which alice cannot be told
        await until(lambda: not told(c1))


def test_a_guest_has_somewhere_to_go():
    with pytest.raises(UsageError, match="a guest needs a server, an account or a container"):
        Container("guest", guest=True)
