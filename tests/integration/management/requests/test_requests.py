"""Requests to `ams` by messages: what is answered, in which order, and to whom."""

from __future__ import annotations

import asyncio
import json
import os

import pytest
from tests.integration.management.conftest import CREW
from tests.integration.management.crew import Cell, Hang, Odd
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Deaf, do, reasons, start

from formicary import AgentState, Container, Limits, Message

AMS = "ams@c1"


def names(content):
    return [agent["name"] for agent in content["agents"]]


def create(class_name, name="new", **others):
    return {"action": "create", "class": f"{CREW}:{class_name}", "name": name, **others}


def create_many(class_name):
    return {"action": "create-many", "class": f"{CREW}:{class_name}", "names": ["a", "b"], "container": "c2"}


async def test_who_is_alone_is_answered_at_once_and_without_a_promise(asker):
    async with Container("c1") as c1:
        alice = await asker(c1, "alice")
        said, content = await alice.ask("ams", {"action": "search", "name": "a*"})
        assert said == ["agree", "inform"]  # everywhere, for all that is known
        said, content = await alice.ask("ams", {"action": "search", "container": "c1"})
        assert said == ["inform"]
        assert content == {
            "done": "search",
            "agents": [
                {
                    "name": "alice@c1.lab.localhost",
                    "state": "active",
                    "container": "c1.lab.localhost",
                    "class": "formicary.core.agent:Agent",
                    "behaviours": 1,
                    "failures": 0,
                    "last_failure": None,
                    "transit": None,
                }
            ],
        }
        said, content = await alice.ask("ams", {"action": "list-containers", "container": "c1"})
        assert said == ["inform"]
        assert [each["name"] for each in content["containers"]] == ["c1"]
        assert reasons(c1) == []


async def test_a_search_finds_agents_everywhere_by_name_state_and_container(platform, asker):
    async with platform("c1", "c2", "c3") as opened:
        for container in opened:
            for name in ("alice", "bob"):
                await start(container, name, Deaf())
        opened[1].agents[0].suspend()
        asking = await asker(opened[2])
        for ams in ("ams@c1", "ams@c2", "ams"):
            said, content = await asking.ask(ams, {"action": "search", "name": "?????"})
            assert said == ["agree", "inform"]
            assert names(content) == [f"{who}.lab.localhost" for who in
                                      ("alice@c1", "alice@c2", "alice@c3", "asker@c3")]  # fmt: skip
            _, content = await asking.ask(ams, {"action": "search", "state": "suspended"})
            assert names(content) == ["alice@c2.lab.localhost"]
            _, content = await asking.ask(ams, {"action": "search", "container": "c2.lab.localhost"})
            assert names(content) == ["alice@c2.lab.localhost", "bob@c2.lab.localhost"]
            _, content = await asking.ask(ams, {"action": "search", "offset": 1, "max_results": 3})
            assert names(content) == [f"{who}.lab.localhost" for who in ("bob@c1", "alice@c2", "bob@c2")]
            _, content = await asking.ask(ams, {"action": "search", "name": "*@c2", "offset": 5})
            assert content == {"done": "search"}


async def test_the_containers_are_described_wherever_one_asks(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c2)
        for ams in ("ams@c1", "ams@c2"):
            said, content = await asking.ask(ams, {"action": "list-containers"})
            assert said == ["agree", "inform"]
            described = {each["domain"]: each for each in content["containers"]}
            assert {domain: each["incarnation"] for domain, each in described.items()} == dict(c1.members)
            assert [described[each.domain]["is_main"] for each in (c1, c2)] == [True, False]
            assert described[c2.domain]["agents"] == 1
            (link,) = described[c1.domain]["links"]
            assert (link["peer"], link["is_up"]) == (c2.domain, True)


@pytest.mark.parametrize("ams", ["ams@c1", "ams@c2"])
async def test_agents_are_suspended_resumed_and_killed_wherever_they_are(platform, asker, ams):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        got = Collect()
        bob = await start(c2, "bob", got)
        promise = ["agree"] if ams == "ams@c1" else []
        for name in ("bob@c2", "bob@c2.lab.localhost"):
            said, content = await asking.ask(ams, {"action": "suspend", "agent": name})
            assert (said, content) == ([*promise, "inform"], {"done": "suspend", "agent": bob.address})
            assert bob.state is AgentState.SUSPENDED
            said, content = await asking.ask(ams, {"action": "resume", "agent": name})
            assert (said, content) == ([*promise, "inform"], {"done": "resume", "agent": bob.address})
            assert bob.state is AgentState.ACTIVE
        said, content = await asking.ask(ams, {"action": "kill", "agent": "bob@c2"})
        assert (said, content) == (["agree", "inform"], {"done": "kill", "agent": bob.address})
        assert bob.state is AgentState.GONE
        assert c2.agents == ()


async def test_a_short_name_is_that_of_an_agent_where_one_asks(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        here, there = await start(c1, "bob", Deaf()), await start(c2, "bob", Deaf())
        await asking.ask("ams@c2", {"action": "suspend", "agent": "bob"})
        assert (here.state, there.state) == (AgentState.ACTIVE, AgentState.SUSPENDED)


@pytest.mark.parametrize("container", [None, "c2", "c2.lab.localhost"])
async def test_an_agent_is_created_with_its_arguments_and_works(platform, asker, container):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        ams = "ams@c1" if container else "ams@c2"
        where = {"container": container} if container else {}
        arguments = {"desk": 7, "tools": [{"pen": 1.5}, None, True, "ü"]}
        said, content = await asking.ask(ams, create("Clerk", arguments=arguments, **where))
        assert (said, content) == (["agree", "inform"], {"done": "create", "agent": "new@c2.lab.localhost"})
        assert [agent.address for agent in c2.agents] == ["new@c2.lab.localhost"]
        name = asking.send("new@c2", "what?")
        await until(lambda: asking.answers(name))
        assert asking.answers(name)[0].body == f"{arguments} {os.getpid()}"


async def test_many_agents_are_created_by_one_request(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        await c2.start(Cell("b"))
        content = {
            "action": "create-many",
            "class": f"{CREW}:Cell",
            "names": ["a", "b", "c"],
            "container": "c2",
        }
        for ams in ("ams@c1", "ams@c2"):
            said, content_ = await asking.ask(ams, content)
            assert said == ["agree", "inform"]
            first = {
                "name": "b@c2.lab.localhost",
                "error": "already-registered",
                "message": "an agent named 'b' already lives in container c2; choose another name",
            }
            assert (content_["done"], content_["tried"]) == ("create-many", 3)
            assert first in content_["failed"]
        assert [agent.name for agent in c2.agents] == ["b", "a", "c"]
        assert len(content_["failed"]) == 3


@pytest.mark.parametrize("ams", ["ams@c1", "ams@c2"])
@pytest.mark.parametrize(
    "wrong",
    [
        ({"action": "kill", "agent": "no@c2"}, "not-registered", "no agent named 'no' lives in container c2"),
        ({"action": "suspend", "agent": "x@c1.other.example"}, "not-registered", "is not an agent of"),
        ({"action": "kill", "agent": "bob@lab.localhost"}, "not-registered", "is not an agent of"),
        ({"action": "suspend", "agent": "cell@c2"}, "internal-error", "micro-agents cannot suspend"),
        ({"action": "resume", "agent": "cell@c2"}, "internal-error", "micro-agents cannot resume"),
        ({"action": "resume", "agent": "bob@c2"}, "internal-error", "agent bob is active, not suspended"),
        ({"action": "suspend", "agent": "odd@c2"}, "internal-error", "odd does not suspend: RuntimeError"),
        ({"action": "kill", "agent": "ams@c2"}, "unauthorised", "is the container's own agent"),
        ({"action": "search", "container": "c2.x.example"}, "unrecognised-parameter-value", "not a con"),
        ({"action": "search", "max_results": 10**9}, "unrecognised-parameter-value", "0 to 100000"),
        ({"action": "fly"}, "unsupported-function", "the actions are"),
        ({"action": "kill"}, "missing-parameter", "`agent`"),
        ({"action": "kill", "agent": "bob", "hard": 1}, "unexpected-parameter", "`hard`"),
        ("{", "unrecognised-value", "is not JSON"),
        (b"\xff\xfe", "unrecognised-value", "is not JSON"),
        ({**create_many("Clerk"), "arguments": {"name": 1}}, "unrecognised-parameter-value", "multiple"),
        (create_many("Nobody"), "unrecognised-parameter-value", "has no class 'Nobody'"),
        (create_many("Agent"), "unauthorised", "is defined in module 'formicary.core.agent'"),
        (create("Nobody", container="c2"), "unrecognised-parameter-value", "has no class 'Nobody'"),
        (create("Clerk", container="c2", arguments={"name": 1}), "unrecognised-parameter-value", "argument"),
        (create("Telling", container="c2"), "unrecognised-parameter-value", "is not an agent class"),
        (create("Agent", container="c2"), "unauthorised", "is defined in module 'formicary.core.agent'"),
        (create("Unreal", container="c2"), "internal-error", "does not call super().__init__(name)"),
        (create("Cell", "cell", container="c2"), "already-registered", "an agent named 'cell' already lives"),
        (create("Cell", "ams", container="c2"), "unrecognised-parameter-value", "choose another name"),
        (create("Failing", container="c2"), "internal-error", "new failed: ValueError: no desk left"),
        (create("Leaving", container="c2"), "internal-error", "setup of agent new failed: SystemExit: 3"),
        (create("Cancelling", container="c2"), "internal-error", "agent new ended with CancelledError"),
        ({"action": "create", "class": "os:x", "name": "y", "container": "c2"}, "unauthorised", "'os'"),
    ],
)  # fmt: skip
async def test_whatever_is_wrong_is_told_with_the_reason_in_one_sentence(platform, asker, caplog, ams, wrong):
    content, error, sentence = wrong
    caplog.set_level("CRITICAL", "formicary")  # agents fail on purpose
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        for agent in (Cell("cell"), Odd("odd")):
            await c2.start(agent)
        await start(c2, "bob", Deaf())
        before = c2.agents
        said, answer = await asking.ask(ams, content)
        assert answer["error"] == error
        assert sentence in answer["message"]
        assert "\n" not in answer["message"]
        if len(said) > 1:
            assert said == ["agree", "failure"]
        assert c2.agents == before
        await asking.ask("ams@c2", {"action": "search"})  # and it goes on


async def test_what_is_no_request_gets_no_answer_or_is_not_understood(platform, asker):
    async with platform("c1", "c2") as (c1, _):
        asking = await asker(c1)
        for performative in ("inform", "agree", "refuse", "failure", "not-understood"):
            name = asking.send("ams@c2", {"action": "search"}, performative=performative)
            await asking.ask("ams@c2", {"action": "search"})
            assert asking.answers(name) == []
        for changes in ({"performative": "propose"}, {"language": "fipa-sl"}, {"protocol": "fipa-query"}):
            said, _ = await asking.ask("ams@c2", {"action": "search"}, **changes)
            assert said == ["not-understood"]


async def test_who_gets_the_answer_is_who_is_named_for_it(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking, other = await asker(c1), await asker(c2, "other")
        name = asking.send("ams@c2", {"action": "search", "container": "c2"}, reply_to="other@c2")
        await until(lambda: other.answers(name))
        (answer,) = other.answers(name)
        assert (answer.sender, answer.conversation_id) == ("ams@c2.lab.localhost", "c1")
        assert asking.answers(name) == []


async def test_an_answer_that_nobody_can_get_is_a_dead_letter(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        asking.send("ams@c2", {"action": "search", "container": "c2"}, reply_to="nobody@c2")
        await until(lambda: reasons(c2))
        assert reasons(c2) == ["no agent named 'nobody' lives in container c2"]


async def test_who_names_nobody_for_the_answer_gets_none(asker, monkeypatch):
    monkeypatch.setattr(Message, "check", lambda _: None)  # which would tell the sender
    async with Container("c1") as c1:
        asking = await asker(c1)
        name = asking.send("ams", {"action": "search", "container": "c1"}, reply_to="no body")
        await until(lambda: reasons(c1))
        (reason,) = reasons(c1)
        assert reason.startswith("it cannot be answered: the agent name 'no body' contains ' '")
        said, _ = await asking.ask("ams", {"action": "search"})
        assert (said, asking.answers(name)) == (["agree", "inform"], [])


async def test_who_has_no_room_for_the_answer_holds_up_nobody(asker):
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=0.05)) as c1:
        deaf = await start(c1, "deaf", Deaf())
        asking = await asker(c1)
        for _ in range(3):
            asking.send("ams", {"action": "search", "container": "c1"}, reply_to="deaf")
        await until(lambda: len(reasons(c1)) == 2)
        assert all("had no room for 0.05 s" in reason for reason in reasons(c1))
        said, _ = await asking.ask("ams", {"action": "kill", "agent": "deaf"})
        assert (said, deaf.state) == (["agree", "inform"], AgentState.GONE)


async def test_a_mistake_of_ours_is_an_answer_too_and_logged(asker, monkeypatch, caplog):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("formicary.management.requests.white_pages.matcher", fail)
    async with Container("c1") as c1:
        asking = await asker(c1)
        said, content = await asking.ask("ams", {"action": "search", "container": "c1"})
        assert (said, content["error"]) == (["failure"], "internal-error")
    assert "a request from asker@c1.lab.localhost could not be handled; please report this" in caplog.text


# Who may


@pytest.mark.parametrize(
    "sender",
    ["eve@c1.other.localhost", "eve@lab.localhost", "eve@deep.c1.lab.localhost", "eve@lab.localhost.example",
     "eve@evillab.localhost", "eve@example.org/phone"],
)  # fmt: skip
@pytest.mark.parametrize(
    "content",
    [{"action": "kill", "agent": "bob"}, {"action": "suspend", "agent": "bob"},
     {"action": "resume", "agent": "bob@c2"}, create("Cell", "x"), {"action": "list-containers"},
     create_many("Cell")],
)  # fmt: skip
async def test_who_is_outside_the_platform_may_only_search(sender, content):
    async with Container("c1", creatable=[CREW]) as c1:
        bob = await start(c1, "bob", Deaf())
        for each in (content, {"action": "search", "container": "c1"}):
            message = Message(to="ams@c1", sender=sender, performative="request", body=json.dumps(each))
            c1.dispatcher.deliver(message, f"ams@{c1.domain}")
        await until(lambda: len(c1.dead_letters) == 2)  # as the way there is missing
        refused, found = [letter.message for letter in c1.dead_letters]
        assert (refused.to, refused.performative, found.performative) == (sender, "refuse", "inform")
        content = json.loads(refused.body)
        assert content == {
            "error": "unauthorised",
            "message": f"{sender} is not an agent of this platform, and may only search",
        }
        assert (bob.state, len(c1.agents)) == (AgentState.ACTIVE, 1)


# What takes time


async def test_a_promise_comes_before_the_setup_ends(platform, asker, slow):
    slow.proceed = asyncio.Event()
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        name = asking.send("ams@c2", create("Slow"))
        await until(lambda: asking.answers(name) and slow.begun)
        assert [answer.performative for answer in asking.answers(name)] == ["agree"]
        said, _ = await asking.ask("ams@c2", {"action": "search", "container": "c2"})  # others do not wait
        assert said == ["inform"]
        said, content = await asking.ask("ams@c2", create("Cell"))
        assert content["error"] == "already-registered"
        slow.proceed.set()
        await until(lambda: len(asking.answers(name)) == 2)
        assert [answer.performative for answer in asking.answers(name)] == ["agree", "inform"]
        assert len(c2.agents) == 1


async def test_an_agent_that_ends_in_its_setup_was_created_all_the_same(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        said, content = await asking.ask("ams@c2", create("Hurried"))
        assert (said, content["agent"]) == (["agree", "inform"], "new@c2.lab.localhost")
        assert c2.agents == ()


@pytest.fixture
def hurried(monkeypatch, caplog):
    """Have agents end soon that do not end by themselves."""
    caplog.set_level("CRITICAL", "formicary")  # it is said there, too
    monkeypatch.setattr("formicary.container.lifecycle._STOP_TIMEOUT", 0.05)
    monkeypatch.setattr("formicary.management.requests.lives._STOPS_WITHIN", 0.2)
    return monkeypatch


@pytest.mark.parametrize("ams", ["ams@c1", "ams@c2"])
@pytest.mark.parametrize("class_name", ["Hanging", "Stubborn", "Broken"])
async def test_an_agent_that_does_not_end_is_killed_all_the_same(platform, asker, hurried, ams, class_name):
    hurried.setattr(Hang, "over", asyncio.Event())
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        await asking.ask("ams@c2", create(class_name))
        (agent,) = c2.agents
        said, content = await asking.ask(ams, {"action": "kill", "agent": "new@c2"})
        assert (said, content) == (["agree", "inform"], {"done": "kill", "agent": "new@c2.lab.localhost"})
        assert (agent.state, c2.agents) == (AgentState.GONE, ())
        Hang.over.set()


async def test_a_suspended_agent_can_be_killed(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        bob = await start(c2, "bob", Deaf())
        bob.suspend()
        said, _ = await asking.ask("ams@c1", {"action": "kill", "agent": "bob@c2"})
        assert (said, bob.state) == (["agree", "inform"], AgentState.GONE)


async def test_an_agent_may_have_itself_killed(asker):
    async with Container("c1") as c1:
        alice = await asker(c1, "alice")
        alice.send("ams", {"action": "kill", "agent": "alice"})
        await alice.agent.join()
        assert c1.agents == ()


async def test_many_requests_at_once_are_all_answered(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        asked = [
            asking.send("ams@c1", create("Cell", f"cell-{number}", container="c2")) for number in range(300)
        ]
        await until(lambda: all(len(asking.answers(name)) == 2 for name in asked))
        assert {asking.answers(name)[1].performative for name in asked} == {"inform"}
        assert len(c2.agents) == 300


async def test_no_more_requests_are_answered_at_once_than_a_container_can_bear(monkeypatch):
    monkeypatch.setattr("formicary.fipa.management_agent._MOST", 2)
    async with Container("c1") as c1:
        await c1.management.list_agents()
        ams = c1.dispatcher.system_agents[f"ams@{c1.domain}"]
        asked = []

        async def wait_for_ever(message):
            asked.append(message)
            await asyncio.Event().wait()

        ams.serve("slow", wait_for_ever)

        async def ask(behaviour):
            for _ in range(3):
                await behaviour.send(Message(to="ams", performative="request", ontology="slow", body="x"))
            return await behaviour.receive(timeout=60)

        asking = do(ask)
        await start(c1, "asker", asking)
        await asking.join()
        assert asking.result.performative == "not-understood"
        assert "already handling 2 requests" in asking.result.body
        assert len(asked) == 2
