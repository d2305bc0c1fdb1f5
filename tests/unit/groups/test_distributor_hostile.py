"""Messages to groups that no container would send."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.unit.groups.crew import begin, distributor, full, joined, players

from formicary import Container, Message, Services
from formicary.directory.model.description import ServiceDescription
from formicary.errors import DirectoryError, InvalidDescriptionError, NotRegisteredError, UnauthorisedError
from formicary.groups.mailing import DISTRIBUTOR
from formicary.groups.naming import Role

pytestmark = pytest.mark.virtual_clock


def content(*address, **message):
    return msgspec.msgpack.encode((*(address or ("public", "market", None)), Message(**message), ()))


async def said(agent):
    await asyncio.sleep(1)
    (failure,) = agent.messages
    agent.messages.clear()
    return failure.performative, failure.body


@pytest.mark.parametrize(
    ("body", "performative"),
    [
        (content(body="x", sender="carol@c1.lab.localhost"), "proxy"),
        (content(body="x", sender="eve@c1.lab.localhost"), "proxy"),
        (content(body="x", to="bob@c2.lab.localhost"), "proxy"),
        (content(body="x"), "request"),
        (content(body="x"), None),
        (content("public", "market", body="x"), "proxy"),
        (content("public", "market", None, None, body="x"), "proxy"),
        (content(1, "market", None, body="x"), "proxy"),
        (msgspec.msgpack.encode(("public", "market", None, [None, None, 3])), "proxy"),
        (msgspec.msgpack.encode(("public", "market", None, [None, None, "x", 3])), "proxy"),
        (b"\x91" * 100_000, "proxy"),
        (b"", "proxy"),
        ("text", "proxy"),
    ],
)
async def test_what_is_no_message_to_a_group_is_dropped_counted_and_told(body, performative):
    async with joined("c1", "c2") as (c1, c2, _):
        (carol, eve), (bob,) = await begin(c1, "carol", "eve"), await begin(c2, "bob")
        await carol.groups.create("market")
        await asyncio.sleep(1)
        await eve.groups.request_role("market", "spy")
        await bob.groups.request_role("market", "seller")
        await asyncio.sleep(1)
        await eve.send(Message(distributor(c2), body=body, performative=performative))
        performative, reason = await said(eve)
        assert performative == "failure"
        assert reason.startswith("it is not a message to a group: ")
        assert c2.dead_letters.total == 1
        assert bob.messages == carol.messages == []


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_who_is_not_a_member_cannot_go_round_the_check(directory):
    async with joined("c1", "c2", services=Services(directory=directory)) as (c1, c2, _):
        (carol, eve), (bob, dave) = await begin(c1, "carol", "eve"), await begin(c2, "bob", "dave")
        await carol.groups.create("market")
        await asyncio.sleep(1)
        await bob.groups.request_role("market", "seller")
        for outsider in (eve, dave):
            await outsider.send(Message(distributor(c2), body=content(body="x"), performative="proxy"))
            performative, reason = await said(outsider)
            name = outsider.address
            assert (performative, reason) == (
                "failure", f"{name} is not in the group 'market', and may not send to it")  # fmt: skip
        for _ in range(500):
            await eve.send(Message(distributor(c2), body=content(body="x"), performative="proxy"))
        await asyncio.sleep(1)
        assert len(eve.messages) == 500
        assert bob.messages == []


async def test_who_has_joined_a_moment_ago_may_send_before_all_others_know():
    async with joined("c1", "c2", "c3", services=Services(directory="central")) as (_, c2, c3, _):
        (bob,), (carol,) = await begin(c2, "bob"), await begin(c3, "carol")
        await bob.groups.create("market")
        await asyncio.sleep(1)
        await carol.groups.request_role("market", "seller")
        service = c2._facilities.services._groups
        await asyncio.sleep(1)
        service.shared.remove(carol.address, Role("public", "market", "seller"))  # as if it was not told yet
        for number in range(20):
            await carol.groups.send(Message(body=str(number)), "market")
        await asyncio.sleep(1)
        assert bob.bodies == [str(number) for number in range(20)]
        assert carol.messages == []


class Unknown:
    """A directory's search that hangs, or fails."""

    def __init__(self, service):
        self.searches = 0
        self.answer = asyncio.get_running_loop().create_future()
        service.look_up = self.look_up

    async def look_up(self, query):
        self.searches += 1
        await asyncio.shield(self.answer)


@pytest.mark.parametrize("outcome", ["fails", "knows", "does not know", "closes"])
async def test_what_is_doubted_waits_and_its_senders_do_in_the_end(outcome, monkeypatch):
    monkeypatch.setattr("formicary.groups.distributor._MOST_UNVERIFIED", 100)
    async with joined("c1") as (c1, network):
        async with Container("c2", server=network) as c2:
            (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
            await alice.groups.create("market")
            await asyncio.sleep(1)
            await bob.groups.request_role("market", "seller")
            await asyncio.sleep(1)
            role = Role("public", "market", "manager")
            service = c2._facilities.services._groups
            service.shared.remove(alice.address, role)
            unknown = Unknown(service)
            sending = asyncio.create_task(send_many(alice, 1500))
            await asyncio.sleep(1)
            assert not sending.done()  # what fits in memory on the way is there
            assert unknown.searches == 1
            if outcome == "closes":
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
            elif outcome == "fails":
                unknown.answer.set_exception(DirectoryError("it is away"))
            else:
                if outcome == "knows":
                    service.shared.put(alice.address, role, is_secured=False)
                unknown.answer.set_result(None)
            await asyncio.gather(sending, return_exceptions=True)
            if outcome != "closes":
                await asyncio.sleep(5)
        told = {message.body for message in alice.messages}
        if outcome == "knows":
            assert bob.bodies == [str(number) for number in range(1500)]
            assert told == set()
        else:
            assert bob.bodies == []
        if outcome == "fails":
            assert told == {f"it is not known whether {alice.address} is in the group 'market': it is away"}
        if outcome == "closes":
            assert c2.dead_letters.reasons["the container has ended before it was handed out"] == 100


async def send_many(agent, count):
    for number in range(count):
        await agent.groups.send(Message(body=str(number)), "market")


async def test_roles_are_not_registered_past_the_gatekeeper():
    async with joined("c1", "c2", services=Services(directory="central")) as (c1, c2, _):
        (alice,), (eve,) = await begin(c1, "alice"), await begin(c2, "eve")
        await alice.groups.create("club", gatekeeper=lambda *_: False)
        role = Role("public", "club", "guest")
        for doing in (
            eve.directory.register("formicary-role", role.service),
            eve.directory.register("guest", role.service),
            eve.directory.modify("formicary-other", "x"),
            alice.directory.deregister(role._replace(role="manager").service),
        ):
            with pytest.raises(InvalidDescriptionError, match="begin with 'formicary-' are reserved"):
                await doing
        service = role.described(eve.address, is_secured=True)
        body = msgspec.json.encode({"action": "register", "services": [service]})
        await eve.send(Message("df@c1", body=body, performative="request", reply_with="r"))
        await asyncio.sleep(1)
        (answer,) = eve.messages
        assert (answer.performative, msgspec.json.decode(answer.body)["error"]) == (
            "refuse", UnauthorisedError.reason)  # fmt: skip
        assert await players(alice, "club") == full("alice@c1")


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_roles_are_not_among_what_agents_have_registered(directory):
    async with joined("c1", "c2", services=Services(directory=directory)) as (c1, c2, _):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await alice.groups.create("market")
        with pytest.raises(NotRegisteredError):
            await alice.directory.deregister()
        await alice.directory.register("printer")
        await asyncio.sleep(1)
        for looking in (alice, bob):
            for query in ({}, {"agent": alice.address}, {"ownership": ""}):
                (found,) = await looking.directory.search(**query)
                assert found.type == "printer"
            assert await looking.directory.search(name=Role("public", "market", "manager").service) == ()
            assert len(await looking.directory.search(type="formicary-role")) == 1
        async with bob.directory.subscribe() as changes:
            assert [service.type for service in (await anext(changes)).services] == ["printer"]
            await bob.groups.request_role("market", "seller")
            await alice.directory.deregister()
            change = await anext(changes)
            assert (change.services, [gone.name for gone in change.gone]) == ((), ["printer"])
        assert await players(bob, "market") == full("alice@c1", "bob@c2")


async def test_entries_of_the_directory_that_are_no_roles_are_passed_over():
    async with joined("c1", "c2") as (c1, c2, _):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await alice.groups.create("market")
        for name in (
            "formicary-role",
            "formicary-role/public/market",
            "formicary-role/public/market/",
            "formicary-role/public//x",
            "formicary-role/public/market/a/b",
            f"formicary-role/public/market/{'x' * 256}",
            "other/public/market/x",
        ):
            service = ServiceDescription(bob.address, "formicary-role", name)
            await c2._facilities.services.backend.put(bob.address, service, is_new=True)
        await asyncio.sleep(1)
        assert await players(alice, "market") == full("alice@c1")
        assert await alice.groups.roles("market") == ("manager",)
        await bob.stop()
        await asyncio.sleep(1)
        assert await players(alice, "market") == full("alice@c1")


async def test_nobody_gets_what_is_sent_to_the_agent_itself_without_groups():
    async with joined("c1", "c2") as (c1, c2, _):
        (eve,) = await begin(c1, "eve")
        await eve.send(Message(distributor(c2), body=content(body="x"), performative="proxy"))
        performative, reason = await said(eve)
        assert (performative, reason) == ("failure", f"no agent named {DISTRIBUTOR!r} lives in container c2")
