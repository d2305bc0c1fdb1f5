"""Subscriptions: who is told of what, when, and when no more."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.directory.asking import ALICE, BOB, DF, begin, directory, register, search, service

from formicary import Agent, Container, Limits, Message, OneShotBehaviour
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.language import Subscribe, decode_result, encode
from formicary.directory.model.query import Query
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


@pytest.fixture(params=["memory", "file"])
def path(request, tmp_path):
    return tmp_path / "df.sqlite" if request.param == "file" else None


async def subscribe(asker, conversation_id="c", more=None, **query):
    """Subscribe; return all that comes."""
    content = {"action": "subscribe", "query": query}
    return await asker.ask(content, "subscribe", conversation_id=conversation_id, **(more or {}))


def told(asker):
    """Return what has come: pairs of the names of services and of what has gone."""
    return [
        (
            [each.get("name", each["type"]) for each in said.get("services", ())],
            [each["name"] for each in said.get("gone", ())],
        )
        for said in asker.informs()
    ]


async def test_a_subscriber_is_told_what_there_is_and_what_changes(path):
    async with directory("alice", "bob", path=path) as (_, alice, bob):
        await alice.ask(register(service(name="a"), service(name="x", type_="other")))
        first = await subscribe(bob, type="printer")
        here = {"done": "subscribe", "services": [service(name="a")], "anew": True}
        assert first == [("agree", None), ("inform", here)]
        await alice.ask(register(service(name="b"), service(name="c"), service(name="y", type_="other")))
        assert told(bob) == [(["b", "c"], [])]
        await alice.ask({"action": "modify", "services": [service(name="b", properties={"dpi": 600})]})
        assert told(bob) == [(["b"], [])]
        await alice.ask({"action": "modify", "services": [service(name="c", type_="other")]})
        assert told(bob) == [([], ["c"])]
        await alice.ask({"action": "modify", "services": [service(name="c")]})
        assert told(bob) == [(["c"], [])]
        await alice.ask({"action": "deregister", "agent": ALICE})
        assert told(bob) == [([], ["a", "b", "c"])]


async def test_there_are_no_more_subscriptions_than_are_kept(monkeypatch):
    monkeypatch.setattr("formicary.directory.central.draft.MOST_SUBSCRIPTIONS", 2)
    async with directory("alice") as (df, alice):
        for number in range(2):
            assert (await subscribe(alice, str(number)))[0][0] == "agree"
        alice.messages.clear()
        alice.tell(encode(Subscribe(Query())), "subscribe", conversation_id="one too many")
        await until_idle()
        (answer,) = alice.messages
        assert answer.performative in {"refuse", "failure"}
        assert "there are already 2 subscriptions; cancel some" in answer.body
        assert len(df._subscriptions) == 2


async def test_notifications_can_be_told_from_others():
    async with directory("alice", "bob") as (_, alice, bob):
        bob.tell(encode(Subscribe(Query())), "subscribe", conversation_id="c", reply_with="r")
        await until_idle()
        await alice.ask(register(service()))
        agreed, *informs = bob.messages
        assert (agreed.conversation_id, agreed.in_reply_to) == ("c", "r")
        assert len(informs) == 2
        for message in informs:
            assert (message.sender, message.performative, message.protocol) == (
                DF,
                "inform",
                "fipa-subscribe",
            )
            assert (message.conversation_id, message.in_reply_to) == ("c", "r")
            assert (message.language, message.ontology) == ("json", "fipa-agent-management")


async def test_what_changes_in_one_turn_is_told_once_and_only_if_it_is_another_in_the_end():
    async with directory("alice", "bob") as (_, alice, bob):
        await alice.ask(register(service(name="old"), service(name="same"), service(name="moves")))
        await subscribe(bob, type="printer")
        for content in (
            register(service(name="new")),
            register(service(name="brief")),
            {"action": "deregister", "agent": ALICE, "names": ["brief", "old"]},
            {"action": "deregister", "agent": ALICE, "names": ["same"]},
            register(service(name="same")),
            {"action": "modify", "services": [service(name="new", properties={"dpi": 600})]},
            {"action": "modify", "services": [service(name="moves", type_="other")]},
        ):
            alice.tell(content)
        await until_idle()
        (said,) = bob.informs()
        assert said["services"] == [service(name="new", properties={"dpi": 600})]
        assert [each["name"] for each in said["gone"]] == ["old", "moves"]


async def test_one_who_subscribes_in_a_turn_with_changes_is_told_of_each_once():
    async with directory("alice", "bob") as (_, alice, bob):
        await subscribe(bob, "first")
        alice.tell(register(service(name="a")))
        bob.tell(encode(Subscribe(Query())), "subscribe", conversation_id="second")
        alice.tell(register(service(name="b")))
        await until_idle()
        by_conversation = {"first": [], "second": []}
        for message in bob.messages:
            if message.performative == "inform":
                services = decode_result(message.body).services
                by_conversation[message.conversation_id] += [each.name for each in services]
        assert by_conversation == {"first": ["a", "b"], "second": ["a", "b"]}


QUERIES = [
    {},
    {"type": "printer"},
    {"name": "a"},
    {"agent": ALICE},
    {"agent": BOB, "type": "printer"},
    {"name": "b", "type": "scanner"},
    {"ownership": "lab"},
    {"type": "printer", "properties": {"dpi": 600}},
    {"where": [["dpi", ">", 300]]},
]
SERVICES = st.builds(
    service,
    agent=st.sampled_from([ALICE, BOB]),
    type_=st.sampled_from(["printer", "scanner"]),
    name=st.sampled_from("ab"),
    ownership=st.sampled_from(["", "lab"]),
    properties=st.sampled_from([{}, {"dpi": 300}, {"dpi": 600}]),
)
CHANGES = st.one_of(
    SERVICES.map(lambda each: {"action": "renew", "services": [each]}),
    st.builds(lambda agent: {"action": "deregister", "agent": agent}, st.sampled_from([ALICE, BOB])),
)


@given(turns=st.lists(st.lists(CHANGES, max_size=4), max_size=6))
async def test_a_subscriber_knows_what_a_search_would_find(turns):
    async with directory("alice", may_write=lambda sender, agent: True) as (df, alice):
        askers = await begin(df.container, *(f"asker-{number}" for number in range(len(QUERIES))))
        for asker, query in zip(askers, QUERIES, strict=True):
            await subscribe(asker, **query)
        known = [{} for _ in QUERIES]
        for turn in turns:
            for change in turn:
                alice.tell(change)
            await until_idle()
            for asker, query, mine in zip(askers, QUERIES, known, strict=True):
                informs = asker.informs()
                assert len(informs) <= 1
                for said in informs:
                    assert said.get("services") or said.get("gone")
                    for each in said.get("gone", ()):
                        del mine[each["agent"], each["name"]]
                    mine.update({(each["agent"], each["name"]): each for each in said.get("services", ())})
                ((_, answer),) = await asker.ask(search(**query))
                assert {(each["agent"], each["name"]): each for each in answer.get("services", ())} == mine


async def test_many_are_told_in_several_messages_that_say_so():
    async with directory("alice", "bob") as (_, alice, bob):
        await alice.ask(register(*(service(name=f"n{number}") for number in range(250))))
        heard = await subscribe(bob)
        said = [content for performative, content in heard if performative == "inform"]
        assert [len(each["services"]) for each in said] == [100, 100, 50]
        assert [each.get("anew", False) for each in said] == [True, False, False]
        assert [each.get("more", False) for each in said] == [True, True, False]
        await alice.ask({"action": "deregister", "agent": ALICE})
        said = bob.informs()
        assert [len(each["gone"]) for each in said] == [100, 100, 50]
        assert [each.get("more", False) for each in said] == [True, True, False]
        await alice.ask(register(*(service(name=f"n{number}") for number in range(100))))
        assert [each.get("more", False) for each in bob.informs()] == [False]


async def test_a_cancelled_subscription_ends_and_no_other(path):
    async with directory("alice", "bob", path=path) as (df, alice, bob):
        await subscribe(bob, "one")
        await subscribe(bob, "two")
        await subscribe(alice, "one")
        assert await bob.ask("", "cancel", conversation_id="one") == [("inform", {"done": "cancel"})]
        bob.tell("", "cancel", conversation_id="one")
        await until_idle()
        ((performative, said),) = bob.heard()
        assert (performative, said["error"]) == ("failure", "not-registered")
        await alice.ask(register(service()))
        assert len(bob.informs()) == 1
        bob.tell("", "cancel", conversation_id="two", reply_with=None)
        await until_idle()
        assert bob.heard() == []
        await alice.ask({"action": "deregister", "agent": ALICE})
        assert bob.heard() == []
        assert len(df._subscriptions) == 1
        assert await subscribe(bob, "one") != []


async def test_what_has_changed_in_the_turn_of_a_cancel_is_not_told():
    async with directory("alice", "bob") as (_, alice, bob):
        await subscribe(bob, "one")
        alice.tell(register(service()))
        assert await bob.ask("", "cancel", conversation_id="one") == [("inform", {"done": "cancel"})]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"conversation_id": None}, "missing-parameter"),
        ({"conversation_id": ""}, "missing-parameter"),
        ({"conversation_id": "\ud800"}, "unrecognised-parameter-value"),
        ({"conversation_id": "c", "reply_with": "\ud800"}, "unrecognised-parameter-value"),
        ({"conversation_id": "taken"}, "already-registered"),
    ],
)
async def test_what_is_no_subscription_is_refused(path, more, error):
    async with directory("bob", path=path) as (df, bob):
        await subscribe(bob, "taken")
        ((_, said),) = await bob.ask(encode(Subscribe(Query())), "subscribe", **more)
        assert said["error"] == error
        assert len(df._subscriptions) == 1


async def test_nobody_subscribes_for_somebody_else():
    async with directory("alice", "bob") as (df, alice, bob):
        content = encode(Subscribe(Query()))
        assert await bob.ask(content, "subscribe", conversation_id="c", reply_to=ALICE) == []
        ((performative, said),) = alice.heard()
        assert (performative, said["error"]) == ("refuse", "unauthorised")
        assert len(df._subscriptions) == 0


async def test_the_subscription_of_an_agent_that_has_ended_ends(path):
    async with directory("alice", "bob", path=path) as (df, alice, bob):
        await subscribe(bob)
        await bob.stop()
        assert len(df._subscriptions) == 1
        await alice.ask(register(service()))
        assert len(df._subscriptions) == 0
        assert [key for key in df.ledger.others if key.kind == "subscription"] == []
        dead = df.container.dead_letters.total
        await alice.ask({"action": "deregister", "agent": ALICE})
        assert df.container.dead_letters.total == dead


@pytest.mark.parametrize("is_lost", [True, False])
async def test_the_subscription_of_an_agent_elsewhere_ends_with_it_or_its_container(path, is_lost):
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        df = DirectoryAgent(path=path)
        await df.open()
        await c1.start(df)
        (alice,) = await begin(c1, "alice")
        (bob,) = await begin(c2, "bob")
        assert len(await subscribe(bob)) == 2
        await alice.ask(register(service()))
        assert told(bob) == [(["printer"], [])]
        if is_lost:
            df.container_lost("c2.lab.localhost")
        else:
            await bob.stop()
            await alice.ask({"action": "deregister", "agent": ALICE})
        await until_idle()
        assert len(df._subscriptions) == 0
        await df.close()


@pytest.mark.parametrize(
    ("sender", "receiver", "conversation_id"),
    [
        ("alice", BOB, "c"),  # anybody could say so
        ("ams", BOB, "other"),
        ("ams", ALICE, "c"),
        ("ams", None, "c"),
    ],
)
async def test_a_failure_of_something_else_ends_no_subscription(sender, receiver, conversation_id):
    async with directory("bob") as (df, bob):
        await subscribe(bob)
        metadata = None if receiver is None else {"receiver": receiver}
        df.handle(
            Message(
                DF,
                f"{sender}@c1.lab.localhost",
                performative="failure",
                conversation_id=conversation_id,
                metadata=metadata,
            )
        )
        await until_idle()
        assert len(df._subscriptions) == 1


class Stuck(OneShotBehaviour):
    """Subscribes, and takes nothing that comes."""

    async def run(self):
        body = encode(Subscribe(Query()))
        await self.send(Message(DF, body=body, performative="subscribe", conversation_id="c"))
        await asyncio.sleep(10_000)


async def test_a_subscriber_that_takes_nothing_is_given_up_after_some_time():
    async with Container("c1", limits=Limits(mailbox=5, send_timeout=30)) as c1:
        df = DirectoryAgent()
        await c1.start(df)
        stuck = Agent("stuck")
        stuck.add_behaviour(Stuck())
        await c1.start(stuck)
        (alice,) = await begin(c1, "alice")
        for number in range(20):
            await alice.ask(register(service(name=str(number))))
        assert len(df._subscriptions) == 1
        await asyncio.sleep(100)
        assert len(df._subscriptions) == 0
        await df.close()


async def test_ten_thousand_subscriptions_are_not_all_held_against_each_change(monkeypatch):
    looks = []
    matches = Query.matches

    def count(query, description):
        looks.append(description)
        return matches(query, description)

    async with directory("alice", "bob") as (df, alice, bob):
        for number in range(10_000):
            query = [
                Query(type=f"type-{number}"),
                Query(name=f"name-{number}"),
                Query(agent=f"agent-{number}@c2.lab.localhost"),
                Query(type=f"type-{number}", properties={"dpi": 600}),
            ][number % 4]
            bob.tell(encode(Subscribe(query)), "subscribe", conversation_id=str(number))
        await until_idle()
        assert len(bob.messages) == 20_000
        assert len(df._subscriptions) == 10_000
        del bob.messages[:]
        monkeypatch.setattr(Query, "matches", count)
        await alice.ask(register(service(type_="type-4000", name="name-4001")))
        assert sorted(message.conversation_id for message in bob.messages) == ["4000", "4001"]
        assert len(looks) == 2


async def test_ten_thousand_are_told_of_the_same_change():
    async with directory("alice", "bob") as (_, alice, bob):
        for number in range(10_000):
            bob.tell(encode(Subscribe(Query(type="printer"))), "subscribe", conversation_id=str(number))
        await until_idle()
        del bob.messages[:]
        await alice.ask(register(service()))
        assert len({message.conversation_id for message in bob.messages}) == 10_000
        assert len(bob.messages) == 10_000
