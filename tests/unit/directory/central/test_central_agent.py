"""The directory's agent: what it answers to whom."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.directory.asking import ALICE, BOB, DF, Asker, directory, names, register, search, service

from formicary import Agent, Container, Limits, Message, OneShotBehaviour
from formicary.directory.central.agent import DirectoryAgent
from formicary.errors import InvalidNameError
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


@pytest.fixture(params=["memory", "file"])
def path(request, tmp_path):
    return tmp_path / "df.sqlite" if request.param == "file" else None


def reason(heard):
    """Return performative, reason and sentence of the only answer, which says what is wrong."""
    ((performative, said),) = heard
    return performative, said["error"], said["message"]


async def test_what_is_registered_is_found_modified_and_removed_again(path):
    async with directory("alice", "bob", path=path) as (_, alice, bob):
        printer = service(name="p1", properties={"dpi": 600, "formats": ["pdf", "ps"]})
        assert await alice.ask(register(printer)) == [("inform", {"done": "register"})]
        found = await bob.ask(search(type="printer", properties={"formats": "pdf"}))
        assert found == [("inform", {"done": "search", "services": [printer]})]
        changed = service(name="p1", type_="scanner")
        assert await alice.ask({"action": "modify", "services": [changed]}) == [
            ("inform", {"done": "modify"})
        ]
        assert names(await bob.ask(search(type="printer"))) == []
        assert names(await bob.ask(search(type="scanner"))) == ["p1"]
        gone = {"action": "deregister", "agent": ALICE, "names": ["p1"]}
        assert await alice.ask(gone) == [("inform", {"done": "deregister"})]
        assert await bob.ask(search()) == [("inform", {"done": "search"})]


async def test_an_answer_is_in_the_terms_of_its_request():
    async with directory("alice") as (_, alice):
        alice.tell(
            search(),
            language="json",
            ontology="fipa-agent-management",
            protocol="fipa-request",
            conversation_id="c",
            reply_with="r",
        )
        await until_idle()
        (answer,) = alice.messages
        assert (answer.sender, answer.in_reply_to, answer.conversation_id) == (DF, "r", "c")
        assert (answer.language, answer.ontology, answer.protocol) == (
            "json",
            "fipa-agent-management",
            "fipa-request",
        )


async def test_registering_again_changes_nothing_unless_it_renews(path):
    async with directory("alice", path=path) as (_, alice):
        await alice.ask(register(service(name="a")))
        again = await alice.ask(register(service(name="b"), service(name="a", type_="x")))
        assert reason(again)[:2] == ("failure", "already-registered")
        assert "alice@c1.lab.localhost has a service named 'a' already" in reason(again)[2]
        assert names(await alice.ask(search(type="printer"))) == ["a"]
        renewed = {"action": "renew", "services": [service(name="b"), service(name="a", type_="x")]}
        assert await alice.ask(renewed) == [("inform", {"done": "renew"})]
        assert names(await alice.ask(search())) == ["b", "a"]


async def test_what_is_not_registered_cannot_be_modified_or_removed(path):
    async with directory("alice", path=path) as (_, alice):
        await alice.ask(register(service(name="a")))
        for content in (
            {"action": "modify", "services": [service(name="a", type_="x"), service(name="b")]},
            {"action": "deregister", "agent": ALICE, "names": ["a", "b"]},
            {"action": "deregister", "agent": ALICE, "names": ["b"]},
        ):
            said = reason(await alice.ask(content))
            assert said[:2] == ("failure", "not-registered")
            assert "alice@c1.lab.localhost has no service named 'b'" in said[2]
        assert names(await alice.ask(search(type="printer"))) == ["a"]
        assert await alice.ask({"action": "deregister", "agent": ALICE}) == [
            ("inform", {"done": "deregister"})
        ]
        said = reason(await alice.ask({"action": "deregister", "agent": ALICE}))
        assert "alice@c1.lab.localhost has no services" in said[2]


@pytest.mark.parametrize(
    "content",
    [
        register(service(BOB)),
        register(service(ALICE), service(BOB)),
        {"action": "modify", "services": [service(BOB)]},
        {"action": "renew", "services": [service(BOB)]},
        {"action": "deregister", "agent": BOB},
        {"action": "deregister", "agent": "nobody"},
    ],
)
async def test_nobody_writes_for_somebody_else(content):
    async with directory("alice", "bob") as (_, alice, bob):
        await bob.ask(register(service(BOB, name="own")))
        said = reason(await alice.ask(content))
        assert said[:2] == ("refuse", "unauthorised")
        assert said[2].startswith("alice@c1.lab.localhost may not change services of ")
        assert names(await bob.ask(search())) == ["own"]


@pytest.mark.parametrize(
    ("sender", "agent", "may"),
    [
        ("ams@c2.lab.localhost", "bob@c2.lab.localhost", True),
        ("ams@c2.lab.localhost", "bob@c3.lab.localhost", False),
        ("ams@example.org", "bob@example.org", False),  # who knows whose account that is
        ("ams@lab.localhost", "bob@lab.localhost", False),
        ("ams@a.c2.lab.localhost", "bob@a.c2.lab.localhost", False),
        ("bob@example.org/phone", "bob@example.org", True),
        ("bob@example.org", "bob@example.org/phone", True),
        ("bob@example.org", "bob@example.net", False),
        ("", "bob@c2.lab.localhost", False),
        ("bob@c2.lab.localhost", "", False),
    ],
)
async def test_a_management_agent_writes_for_the_agents_of_its_container(sender, agent, may):
    async with directory() as (df,):
        assert df._is_writer(sender, agent) is may


async def test_the_owner_of_a_directory_may_let_others_write():
    asked = []

    def may_write(sender, agent):
        asked.append((sender, agent))
        return agent == BOB

    async with directory("alice", may_write=may_write) as (_, alice):
        assert await alice.ask(register(service(ALICE))) == [("inform", {"done": "register"})]
        assert asked == []
        assert await alice.ask(register(service(BOB))) == [("inform", {"done": "register"})]
        assert reason(await alice.ask(register(service(DF))))[1] == "unauthorised"
        assert asked == [(ALICE, BOB), (ALICE, DF)]


@pytest.mark.parametrize(
    ("content", "more", "performative", "error"),
    [
        ("{", {}, "not-understood", "unrecognised-value"),
        (b"\xff", {}, "not-understood", "unrecognised-value"),
        ("", {}, "not-understood", "unrecognised-value"),
        (search(max_results=1_000_000), {}, "refuse", "unrecognised-parameter-value"),
        ({"action": "fly"}, {}, "refuse", "unsupported-function"),
        (search(), {"performative": "query-ref"}, "not-understood", "unsupported-act"),
        (search(), {"performative": None}, "not-understood", "unsupported-act"),
        (search(), {"performative": "subscribe"}, "not-understood", "unexpected-act"),
        (search(), {"language": "fipa-sl"}, "not-understood", "unsupported-value"),
        (search(), {"ontology": "weather"}, "not-understood", "unsupported-value"),
    ],
)
async def test_what_cannot_be_done_is_answered_with_the_reason(content, more, performative, error):
    async with directory("alice") as (_, alice):
        said = reason(await alice.ask(content, **more))
        assert said[:2] == (performative, error)
        assert said[2]


async def test_a_million_results_are_refused_with_what_to_do():
    async with directory("alice") as (_, alice):
        said = reason(await alice.ask(search(max_results=1_000_000)))[2]
        assert (
            "max_results must be a number from 1 to 10000, not 1000000; search again with an offset" in said
        )


@pytest.mark.parametrize("performative", ["inform", "agree", "refuse", "failure", "not-understood"])
async def test_answers_are_not_answered(performative):
    async with directory("alice") as (_, alice):
        for body in ("", "{", '{"done": "search"}'):
            more = {"in_reply_to": "x", "conversation_id": "y", "metadata": {"receiver": ALICE}}
            assert await alice.ask(body, performative, **more) == []


async def test_the_answer_goes_where_the_request_says():
    async with directory("alice", "bob") as (df, alice, bob):
        assert await alice.ask(search(), reply_to=BOB) == []
        assert bob.informs() == [{"done": "search"}]
        assert await alice.ask(search(), reply_to=DF) == []
        assert df.container.dead_letters.total == 0


async def test_a_lease_ends_unless_it_is_renewed(path):
    async with directory("alice", path=path) as (_, alice):
        await alice.ask(register(service(name="a"), service(name="b"), service(name="c"), lease=60))
        await alice.ask(register(service(name="stays")))
        await asyncio.sleep(50)
        await alice.ask({"action": "modify", "services": [service(name="b")], "lease": 60})
        await alice.ask({"action": "modify", "services": [service(name="c")]})
        await asyncio.sleep(59)
        assert names(await alice.ask(search())) == ["stays", "b", "c"]
        await asyncio.sleep(2)
        assert names(await alice.ask(search())) == ["stays", "c"]
        await asyncio.sleep(10**6)
        assert names(await alice.ask(search())) == ["stays", "c"]


async def test_a_lease_that_was_taken_back_ends_nothing(path):
    async with directory("alice", path=path) as (_, alice):
        await alice.ask(register(service(name="a"), lease=60))
        await alice.ask({"action": "deregister", "agent": ALICE})
        await alice.ask(register(service(name="a")))
        await asyncio.sleep(100)
        assert names(await alice.ask(search())) == ["a"]


class Slow(OneShotBehaviour):
    """Asks more than it has room for answers to, and then receives."""

    def __init__(self, count):
        super().__init__()
        self.count = count
        self.got = []

    async def run(self):
        for number in range(self.count):
            await self.send(
                Message(
                    DF, body='{"action":"search","query":{}}', performative="request", reply_with=str(number)
                )
            )
        await asyncio.sleep(5)
        while message := await self.receive(timeout=1):
            self.got.append(message.in_reply_to)


async def test_answers_wait_for_room_in_their_order():
    network = MemoryNetwork()
    async with (
        Container("c1", limits=Limits(mailbox=3), server=network) as c1,
        Container("c2", limits=Limits(mailbox=3), server=network) as c2,
    ):
        await c1.start(DirectoryAgent())
        asking = [Slow(50), Slow(50)]
        for container, behaviour in zip((c1, c2), asking, strict=True):
            agent = Agent("slow")
            agent.add_behaviour(behaviour)
            await container.start(agent)
        for behaviour in asking:
            await behaviour.join()
            assert behaviour.got == [str(number) for number in range(50)]
        assert c1.dead_letters.total == c2.dead_letters.total == 0


class Forgetful(OneShotBehaviour):
    async def run(self):
        for _ in range(20):
            await self.send(Message(DF, body='{"action":"search","query":{}}', performative="request"))
        await asyncio.sleep(1000)


async def test_answers_that_nobody_takes_become_dead_letters():
    async with Container("c1", limits=Limits(mailbox=3, send_timeout=5)) as c1:
        df = DirectoryAgent()
        await c1.start(df)
        deaf = Agent("deaf")
        deaf.add_behaviour(Forgetful())
        await c1.start(deaf)
        await asyncio.sleep(100)
        assert c1.dead_letters.total == 17
        assert {letter.message.sender for letter in c1.dead_letters} == {DF}
        await df.close()


async def test_what_still_waits_for_room_when_it_ends_is_not_forgotten():
    async with Container("c1", limits=Limits(mailbox=3)) as c1:
        df = DirectoryAgent()
        await c1.start(df)
        deaf = Agent("deaf")
        deaf.add_behaviour(Forgetful())
        await c1.start(deaf)
        await asyncio.sleep(1)
        await df.close()
        assert c1.dead_letters.total == 17


async def test_a_directory_in_memory_may_simply_be_stopped():
    async with Container("c1") as c1:
        df = DirectoryAgent()
        await c1.start(df)
        alice = Asker("alice")
        await c1.start(alice)
        await alice.ask(register(service(), lease=10))
        await df.stop()
        await asyncio.sleep(100)
        alice.tell(search())
        await until_idle()
        assert [message.performative for message in alice.messages] == ["failure"]


async def test_other_directories_have_full_names():
    with pytest.raises(InvalidNameError, match="must be given by its full name, such as"):
        DirectoryAgent(others=["df@c2"])


async def test_what_goes_wrong_inside_is_a_failure_and_in_the_log(caplog, monkeypatch, path):
    async with directory("alice", path=path) as (_, alice):
        monkeypatch.setattr("formicary.directory.central.draft.register", lambda draft, request: 1 / 0)
        said = reason(await alice.ask(register(service())))
        assert said[:2] == ("failure", "internal-error")
        assert "ZeroDivisionError" in caplog.text
        assert names(await alice.ask(search())) == []
