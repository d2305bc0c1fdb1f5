"""What concerns an agent is done where it is: its home knows the place, whoever asks whom."""

from __future__ import annotations

import pytest
from tests.integration.management.crew import Cell
from tests.unit.core.agents import Deaf, start

from formicary import AgentState
from formicary.core.errors import AgentStateError
from formicary.errors import (
    InvalidNameError,
    ManagementError,
    ManagementRequestError,
    MoveError,
    UnknownAgentError,
)


class Mobility:
    """Keeps who shall go where."""

    def __init__(self, error=None):
        self.error = error
        self.asked = []

    async def move(self, agent, to):
        self.asked.append((agent.address, to))
        if self.error is not None:
            raise self.error

    async def clone(self, agent, to, name, seconds):
        self.asked.append((agent.address, to, name, seconds))

    def agent_gone(self, address):
        """Called when an agent has ended."""

    def close(self):
        """Called when the container stops."""


def mobile(container, error=None):
    """Have a container only note who shall go where."""
    services = container.platform_services
    services._mobility = Mobility(error)
    return services._mobility


def places(container, *domains):
    """Have a container say that an agent is in one place after the other, whenever it is asked."""
    given = list(domains)
    container.dispatcher.domain_of = lambda _: given.pop(0) if len(given) > 1 else given[0]


async def visit(home, place, name="alice"):
    """Have an agent of one container live in another, and the first know of it."""
    agent = await start(place, name, Deaf())
    del place.dispatcher.agents[agent.address]
    agent._address = f"{name}@{home.domain}"
    place.dispatcher.agents[agent.address] = agent
    places(home, place.domain)
    return agent


async def test_an_agent_that_is_away_is_found_listed_held_and_ended_where_it_is(platform):
    async with platform("c1", "c2", "c3") as opened:
        for asked in opened:
            alice = await visit(opened[0], opened[1])
            management = asked.management
            for name in ("alice@c1", alice.address):
                found = await management.find(name)
                assert (found.name, found.container) == ("alice@c1.lab.localhost", "c2.lab.localhost")
            assert [found] == list(await management.list_agents(container="c2"))
            assert [found] == list(await management.list_agents("alice@c1"))
            assert await management.list_agents(container="c1") == await management.list_agents("*@c2") == ()
            await management.suspend("alice@c1")
            assert alice.state is AgentState.SUSPENDED
            await management.resume("alice@c1")
            mobility = mobile(opened[1])
            await management.move("alice@c1", "c3")
            await management.retract("alice@c1")
            assert await management.clone("alice@c1", "c3", "bob", timeout=20) == "bob@c3.lab.localhost"
            assert mobility.asked == [
                (alice.address, "c3.lab.localhost"),
                (alice.address, asked.domain),
                (alice.address, "c3.lab.localhost", "bob", 20),
            ]
            await management.kill("alice@c1")
            assert alice.state is AgentState.GONE


async def test_one_that_has_moved_on_meanwhile_is_looked_for_again(platform, monkeypatch):
    monkeypatch.setattr("formicary.management.requests.router.PAUSES", (0.0, 0.0))
    async with platform("c1", "c2", "c3") as (c1, c2, c3):
        await visit(c1, c3)
        places(c1, c2.domain, c2.domain, c2.domain, c3.domain)
        assert (await c1.management.find("alice")).container == c3.domain
        places(c1, c2.domain)
        with pytest.raises(UnknownAgentError, match=r"agent alice@c1\.lab\.localhost is not in container c2"):
            await c1.management.find("alice")
        places(c1, c2.domain, c2.domain, None)
        with pytest.raises(UnknownAgentError, match="no agent named 'alice' lives in container c1"):
            await c1.management.find("alice")


@pytest.mark.parametrize("where", ["c1", "c2"])
async def test_why_an_agent_does_not_move_is_told_who_asks(platform, where):
    async with platform("c1", "c2") as (c1, c2):
        there = c1 if where == "c1" else c2
        await there.start(Cell("cell"))
        management = c1.management
        mobile(there, error=MoveError("agent cell cannot move: it does not want to"))
        with pytest.raises(MoveError, match="it does not want to") as caught:
            await management.move(f"cell@{where}", "c2")
        assert caught.value.reason == "not-moved"
        mobile(there, error=AgentStateError("agent cell is gone"))
        with pytest.raises(ManagementError, match="agent cell is gone"):
            await management.move(f"cell@{where}", "c2")
        with pytest.raises(UnknownAgentError):
            await management.move(f"nobody@{where}", "c2")
        with pytest.raises(ManagementError, match="is the container's own agent"):
            await management.move(f"ams@{where}", "c2")


async def test_what_cannot_be_a_move_is_refused_where_it_is_written(platform):
    async with platform("c1") as (c1,):
        management = c1.management
        for doing in (management.move("a b", "c2"), management.retract(""), management.clone(3, "c2", "bob")):
            with pytest.raises(InvalidNameError):
                await doing
        for doing in (
            management.move("cell", "c 2"),
            management.move("cell", 3),
            management.move("cell", "c2.example.org"),
            management.clone("cell", "c2", "b b"),
        ):
            with pytest.raises(ManagementRequestError):
                await doing


@pytest.mark.parametrize("ams", ["ams@c1", "ams@c2"])
async def test_by_a_message_it_is_the_same(platform, asker, ams):
    async with platform("c1", "c2") as (c1, c2):
        asking = await asker(c2)
        alice = await start(c1, "alice", Deaf())
        mobility = mobile(c1)
        for content, done in (
            ({"action": "move", "agent": "alice@c1", "container": "c2"}, "move"),
            ({"action": "move", "agent": "alice@c1"}, "move"),
            ({"action": "clone", "agent": "alice@c1", "name": "bob", "container": "c2"}, "clone"),
        ):
            said, answer = await asking.ask(ams, content)
            assert (said, answer["done"]) == (["agree", "inform"], done)
        assert answer["agent"] == "bob@c2.lab.localhost"
        here = c1.domain if ams == "ams@c1" else c2.domain
        assert mobility.asked == [
            (alice.address, c2.domain),
            (alice.address, here),
            (alice.address, c2.domain, "bob", 30),
        ]
        mobility.error = MoveError("not today")
        said, answer = await asking.ask(ams, {"action": "move", "agent": "alice@c1", "container": "c2"})
        assert said == ["agree", "failure"]
        assert answer == {"error": "not-moved", "message": "not today"}
