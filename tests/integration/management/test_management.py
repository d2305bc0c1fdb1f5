"""The Python interface: the same whether an agent lives here or elsewhere."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from tests.integration.management.conftest import CREW
from tests.integration.management.crew import Cell, Choosy, Clerk, Slow
from tests.integration.transport.raw import until
from tests.unit.core.agents import Deaf, do, reasons, start

from formicary import Agent, AgentState, Container, Instrument
from formicary.errors import (
    ContainerClosedError,
    InvalidNameError,
    ManagementError,
    ManagementRequestError,
    NameTakenError,
    UnauthorisedError,
    UnknownAgentError,
)


class Sent(Instrument):
    """Keeps what is sent."""

    def __init__(self):
        self.messages = []

    def message_sent(self, message):
        self.messages.append(message)


def short(agents):
    names = (agent if isinstance(agent, str) else agent.name for agent in agents)
    return [name.removesuffix(".lab.localhost") for name in names]


async def test_what_is_done_here_takes_no_message():
    async with Container("c1", creatable=[CREW]) as c1:
        sent = Sent()
        c1.add_instrument(sent)
        management = c1.management
        assert await management.create(Clerk, "bob", arguments={"desk": 3}) == "bob@c1.lab.localhost"
        (bob,) = c1.agents
        assert bob.made_with == {"desk": 3}
        await management.suspend("bob")
        assert (await management.find("bob")).state is AgentState.SUSPENDED
        assert short(await management.list_agents(state="suspended")) == ["bob@c1"]
        await management.resume("bob@c1")
        assert (await management.find("bob@c1.lab.localhost/phone")).state is AgentState.ACTIVE
        assert short(await management.list_agents(state=AgentState.SUSPENDED)) == []
        await management.kill("bob@c1.lab.localhost")
        assert bob.state is AgentState.GONE
        assert [each.name for each in await management.list_containers()] == ["c1"]
        assert sent.messages == []


async def test_it_is_the_same_from_everywhere_for_agents_of_everywhere(platform):
    async with platform("c1", "c2", "c3") as opened:
        for here in opened:
            management = here.management
            for there in opened:
                where = there.name
                full = await management.create(f"{CREW}:Clerk", "bob", container=where, arguments={"n": [1]})
                assert full == f"bob@{there.domain}"
                (bob,) = there.agents
                assert bob.made_with == {"desk": 0, "n": [1]}
                found = await management.find(f"bob@{where}")
                assert (found.name, found.container, found.class_name) == (
                    full,
                    there.domain,
                    f"{CREW}:Clerk",
                )
                await management.suspend(full)
                assert short(await management.list_agents(state="suspended")) == [f"bob@{where}"]
                await management.resume(full)
                assert bob.state is AgentState.ACTIVE
                await management.kill(full)
                assert there.agents == ()
            listing = await management.list_containers()
            assert [(each.name, each.is_main) for each in listing] == [
                ("c1", True), ("c2", False), ("c3", False)]  # fmt: skip
            assert listing.missing == ()


@pytest.mark.parametrize("where", ["c1", "c2"])
async def test_what_goes_wrong_raises_the_same_here_and_elsewhere(platform, where, caplog):
    caplog.set_level("CRITICAL", "formicary")  # agents fail on purpose
    async with platform("c1", "c2") as (c1, c2):
        management = c1.management
        await (c1 if where == "c1" else c2).start(Cell("cell"))
        await start(c1 if where == "c1" else c2, "bob", Deaf())
        told = {}

        async def fails(kind, doing, reason):
            with pytest.raises(ManagementError if kind is not NameTakenError else kind) as caught:
                await doing
            assert type(caught.value) is kind
            assert getattr(caught.value, "reason", reason) == reason
            assert "\n" not in str(caught.value)
            told[str(caught.value)] = None

        for method in (management.find, management.kill, management.suspend, management.resume):
            await fails(UnknownAgentError, method(f"nobody@{where}"), "not-registered")
            await fails(UnknownAgentError, method("bob@example.org"), "not-registered")
        for method in (management.kill, management.suspend):
            await fails(UnauthorisedError, method(f"ams@{where}"), "unauthorised")
        await fails(ManagementError, management.resume(f"bob@{where}"), "internal-error")
        await fails(ManagementError, management.suspend(f"cell@{where}"), "internal-error")
        for class_name, name, kind, reason in (
            ("Cell", "bob", NameTakenError, "already-registered"),
            ("Failing", "new", ManagementError, "internal-error"),
            ("Agent", "new", UnauthorisedError, "unauthorised"),
            ("Nobody", "new", ManagementRequestError, "unrecognised-parameter-value"),
            ("Cell", "n w", ManagementRequestError, "unrecognised-parameter-value"),
        ):
            doing = management.create(f"{CREW}:{class_name}", name, container=where)
            await fails(kind, doing, reason)
        await fails(UnauthorisedError, management.create(Agent, "new", container=where), "unauthorised")
        assert len(told) > 8
        assert [len(c1.agents), len(c2.agents)] == ([2, 0] if where == "c1" else [0, 2])


@pytest.mark.parametrize("where", ["c1", "c2"])
async def test_of_many_agents_all_are_created_that_can_be(platform, where, caplog):
    caplog.set_level("CRITICAL", "formicary")  # agents fail on purpose
    async with platform("c1", "c2") as (c1, c2):
        there = c1 if where == "c1" else c2
        await there.start(Cell("taken"))
        names = ["a", "unmade", "taken", "b", "failing", "leaving", "ams", "c"]
        creations = await c1.management.create_many(f"{CREW}:Choosy", names, container=where)
        assert short(creations) == [f"a@{where}", f"b@{where}", f"c@{where}"]
        assert {each.name.partition("@")[0]: (each.error, each.message) for each in creations.failed} == {
            "unmade": (
                "unrecognised-parameter-value",
                f"{CREW}:Choosy cannot be created with these arguments: ValueError: not this one",
            ),
            "taken": (
                "already-registered",
                f"an agent named 'taken' already lives in container {where}; choose another name",
            ),
            "failing": ("internal-error", "setup of agent failing failed: ValueError: no desk"),
            "leaving": ("internal-error", "setup of agent leaving failed: SystemExit: 3"),
            "ams": (
                "unrecognised-parameter-value",
                (
                    f"{CREW}:Choosy cannot be created with these arguments: 'ams' is the "
                    "container's management agent; choose another name"
                ),
            ),
        }
        assert all(each.name.endswith(f"@{there.domain}") for each in creations.failed)
        assert [agent.name for agent in there.agents] == ["taken", "a", "b", "c"]
        creations = await c1.management.create_many(Clerk, ["d"], container=where, arguments={"desk": 3})
        assert (there.agents[-1].made_with, creations.failed) == ({"desk": 3}, ())
        creations = await c1.management.create_many(Clerk, [], container=where)
        assert (creations, creations.failed) == ((), ())


@pytest.mark.parametrize("where", ["c1", "c2"])
async def test_what_is_wrong_with_all_of_many_is_raised_and_none_is_created(platform, where):
    async with platform("c1", "c2") as (c1, c2):
        many = [str(number) for number in range(10_001)]
        for kind, class_name, names, sentence in (
            (UnauthorisedError, "os:Clerk", ["a", "b"], "may not be created"),
            (ManagementRequestError, f"{CREW}:Nobody", ["a", "b"], "has no class 'Nobody'"),
            (ManagementRequestError, f"{CREW}:Cell", ["a", "b"], "got an unexpected keyword argument 'desk'"),
            (ManagementRequestError, f"{CREW}:Clerk", [*many, "b b"], "the agent name 'b b' contains ' '"),
            (ManagementRequestError, f"{CREW}:Clerk", [*many, 3], "Expected `str`"),
            (ManagementRequestError, f"{CREW}:Clerk", ["a", "b", "a"], "'a' is given twice"),
            (InvalidNameError, f"{CREW}:Clerk", "bob", r"^several names must be a list, as in \['bob'\]$"),
        ):
            doing = c1.management.create_many(class_name, names, container=where, arguments={"desk": 1})
            with pytest.raises(kind, match=sentence):
                await doing
        with pytest.raises(ManagementError, match="container c9 cannot be reached"):
            await c1.management.create_many(Clerk, ["a"], container="c9")
        with pytest.raises(ManagementRequestError, match=r"^Clerk takes its arguments by name, .* not 1$"):
            await c1.management.create(Clerk, "a", container=where, arguments=1)
        assert [c1.agents, c2.agents] == [(), ()]


async def test_a_great_many_agents_are_created_by_a_few_requests(platform):
    async with platform("c1", "c2") as (c1, c2):
        sent, answered = Sent(), Sent()
        c1.add_instrument(sent)
        c2.add_instrument(answered)
        names = [f"cell-{number}" for number in range(25_000)]
        creations = await c1.management.create_many(Cell, names, container="c2")
        assert short(creations) == [f"{name}@c2" for name in names]
        assert len(c2.agents) == 25_000
        assert [message.to for message in sent.messages] == [f"ams@{c2.domain}"] * 3
        assert [message.performative for message in answered.messages] == ["inform"] * 3


async def test_while_many_agents_are_created_the_loop_has_its_turns():
    async with Container("c1", creatable=[CREW]) as c1:
        done = asyncio.create_task(c1.management.create_many(Cell, [f"c{number}" for number in range(1000)]))
        seen = set()
        while not done.done():
            seen.add(len(c1.agents))
            await asyncio.sleep(0)
        steps = sorted(seen)
        assert len(steps) > 20
        assert max(after - before for before, after in pairwise(steps)) <= 32


async def test_a_request_for_many_is_answered_in_time_and_the_rest_asked_for_again(platform, monkeypatch):
    monkeypatch.setattr("formicary.management.requests.creating._CREATES_FOR", 0.0)
    async with platform("c1", "c2") as (c1, _):
        sent = Sent()
        c1.add_instrument(sent)
        creations = await c1.management.create_many(Choosy, ["a", "b", "c"], container="c2")
        assert short(creations) == ["a@c2", "b@c2", "c@c2"]
        assert len(sent.messages) == 3


async def test_bad_input_is_refused_where_it_is_written():
    class Inner(Agent):
        pass

    async with Container("c1", creatable=[__name__]) as c1:
        management = c1.management
        for method in (management.find, management.kill, management.suspend, management.resume):
            for name in ("a b", "", 3, None):
                with pytest.raises(InvalidNameError):
                    await method(name)
        for options in (
            {"name": 3},
            {"state": "asleep"},
            {"container": "c 1"},
            {"container": 3},
            {"name": {1}},
        ):
            with pytest.raises(ManagementRequestError):
                await management.list_agents(**options)
        for options in ({"arguments": {"a": object()}}, {"container": "c1.example.org"}):
            with pytest.raises(ManagementRequestError):
                await management.create("a:B", "new", **options)
        with pytest.raises(ManagementRequestError, match="is not a class name"):
            await management.create(Inner, "new")
        assert c1.agents == ()


async def test_an_agent_whose_name_has_an_asterisk_is_found_alone():
    async with Container("c1") as c1:
        for name in ("a*", "ab", "a*b", "a?"):
            await c1.start(Cell(name))
        for name in ("a*", "ab", "a?"):
            assert (await c1.management.find(name)).name == f"{name}@c1.lab.localhost"
        with pytest.raises(UnknownAgentError):
            await c1.management.find("*")


async def test_a_container_that_is_closed_says_so():
    container = Container("c1")
    with pytest.raises(ContainerClosedError):
        _ = container.management
    async with container as c1:
        management = c1.management
    with pytest.raises(ContainerClosedError):
        await management.list_containers()
    with pytest.raises(ContainerClosedError):
        await management.list_agents()


async def test_all_agents_are_found_however_many(platform, monkeypatch):
    monkeypatch.setattr("formicary.management.requests.looking_up._PAGE", 7)
    async with platform("c1", "c2") as (c1, c2):
        for number in range(50):
            await c2.start(Cell(f"cell-{number}"))
        for container in (c1, c2):
            assert len(await container.management.list_agents("cell*", container="c2")) == 50
            assert len(await container.management.list_agents()) == 50
            assert len(await container.management.list_agents("cell-4?")) == 10
        for agent in c2.agents[:1]:
            await agent.stop()
        assert len(await c1.management.list_agents()) == 49  # of which there are full pages only


async def test_a_great_many_agents_are_listed_over_a_link(platform):
    async with platform("c1", "c2") as (c1, c2):
        for number in range(25_000):
            await c2.start(Cell(f"cell-{number}"))
        found = await c1.management.list_agents()
        assert len({agent.name for agent in found}) == 25_000
        assert found.missing == ()


async def test_an_answer_that_no_link_can_carry_is_an_error_that_says_so(platform, asker, monkeypatch):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c1)
        for number in range(300):
            await c2.start(Cell(f"{number}-{'x' * 500}"))
        await until(lambda: c2.dispatcher.transport.links)
        c2.dispatcher.transport.links[c1.domain].message_limit = 100_000
        said, content = await asking.ask("ams@c2", {"action": "search", "container": "c2"})
        assert said == ["failure"]
        assert content["message"].startswith("the answer is too large; ask for fewer: ")
        said, content = await asking.ask("ams@c2", {"action": "search", "container": "c2", "max_results": 9})
        assert len(content["agents"]) == 9


async def test_a_behaviour_may_manage_its_own_agent():
    async with Container("c1") as c1:

        async def end(behaviour):
            await c1.management.kill("alice")
            return "still there, until the end of this run"

        ending = do(end)
        alice = await start(c1, "alice", ending)
        await until(lambda: alice.state is AgentState.GONE)
        assert ending.result == "still there, until the end of this run"
        assert reasons(c1) == []


async def test_who_is_cancelled_while_waiting_leaves_nothing_behind(platform):
    async with platform("c1", "c2") as (c1, c2):
        Slow.proceed = asyncio.Event()
        creating = asyncio.create_task(c1.management.create(Slow, "slow", container="c2"))
        await until(lambda: Slow.begun)
        creating.cancel()
        with pytest.raises(asyncio.CancelledError):
            await creating
        Slow.proceed.set()
        await until(lambda: c2.agents)  # it was too late to take it back
        assert (await c1.management.find("slow@c2")).state is AgentState.ACTIVE
