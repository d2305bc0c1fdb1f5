"""What a container knows of itself and its agents."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest
from tests.unit.core.agents import Deaf, do, start

from formicary import Agent, AgentState, Container, Message, MicroAgent
from formicary.management.descriptions import AgentPlace
from formicary.management.requests.looking_up import Search
from formicary.management.requests.white_pages import WhitePages, matcher


class Cell(MicroAgent):
    def handle(self, message):
        pass


def named(container, name):
    cell = Cell(name)
    cell._address = f"{name}@{container}.lab.localhost"
    return cell


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("*", {"alice", "al", "bob", "a[l]", "al.ice"}),
        ("al*", {"alice", "al", "al.ice"}),
        ("a?", {"al"}),
        ("?*?*?*", {"alice", "bob", "a[l]", "al.ice"}),
        ("*ice", {"alice", "al.ice"}),
        ("a[l]", {"a[l]"}),
        ("a[l-z]*", set()),
        ("al.ice", {"al.ice"}),
        ("Alice", set()),
        ("", set()),
        ("bob@c1", {"bob"}),
        ("b*@c?", {"bob"}),
        ("bob@c1.lab.localhost", {"bob"}),
        ("*@*.localhost", {"alice", "al", "bob", "a[l]", "al.ice"}),
        ("*@c2", set()),
        ("*@", set()),
    ],
)
def test_patterns_match_own_names_or_with_an_at_full_ones(pattern, matching):
    agents = [named("c1", name) for name in ("alice", "al", "bob", "a[l]", "al.ice")]
    matches = matcher(pattern, "lab.localhost")
    assert {agent.name for agent in agents if matches(agent)} == matching


def test_a_visitor_is_matched_by_its_own_full_name():
    visitor = named("c2", "alice")
    assert matcher("al*@c2", "lab.localhost")(visitor)
    assert matcher("*@c2.lab.localhost", "lab.localhost")(visitor)
    assert not matcher("*@c1", "lab.localhost")(visitor)


def test_no_pattern_makes_the_container_stand_still():
    agent = named("c1", "a" * 1000)
    assert not matcher("*a" * 600 + "b", "lab.localhost")(
        agent
    )  # with backtracking it would take longer than anybody waits
    assert matcher("*a" * 600, "lab.localhost")(agent)


async def test_a_search_gives_those_that_match_in_the_order_in_which_they_started():
    async with Container("c1") as container:
        pages = WhitePages(container)
        for name in ("zoe", "bob", "alice", "bert"):
            await start(container, name, Deaf())
        await container.start(Cell("b-cell"))
        container.agents[1].suspend()
        container.agents[2].wait()

        def names(**search):
            return [agent.name.partition("@")[0] for agent in pages.search(Search(**search))]

        assert names() == ["zoe", "bob", "alice", "bert", "b-cell"]
        assert names(name="b*") == ["bob", "bert", "b-cell"]
        assert names(name="b*", max_results=2) == ["bob", "bert"]
        assert names(name="b*", max_results=2, offset=2) == ["b-cell"]
        assert names(container="c1", offset=2**53) == names(max_results=0) == []
        assert names(state=AgentState.SUSPENDED) == ["bob"]
        assert names(state=AgentState.WAITING) == ["alice"]
        assert names(state=AgentState.ACTIVE, name="b*") == ["bert", "b-cell"]
        await container.agents[0].stop()
        assert names() == ["bob", "alice", "bert", "b-cell"]
        first, *_, last = pages.search(Search())
        assert (first.name, first.container) == ("bob@c1.lab.localhost", "c1.lab.localhost")
        assert (first.state, first.class_name) == (AgentState.SUSPENDED, "formicary.core.agent:Agent")
        assert last.class_name == f"{__name__}:Cell"
        assert (first.behaviours, last.behaviours) == (1, None)


async def test_what_has_failed_is_said_of_the_agent_and_of_the_container():
    async def fail(behaviour):
        raise ValueError("mine")

    async with Container("c1") as container:
        pages = WhitePages(container)
        agent = await start(container, "alice", do(fail), Deaf())
        with pytest.raises(ValueError, match="mine"):
            await agent.join()
        (alice,) = pages.search(Search())
        assert (alice.state, alice.behaviours, alice.failures) == (AgentState.ACTIVE, 1, 1)
        assert alice.last_failure == agent.last_failure
        await agent.stop()
        described = pages.describe()
        assert (described.agents, described.failures, described.last_failure) == (0, 1, alice.last_failure)


async def test_a_container_describes_itself():
    before = datetime.now(UTC)
    async with Container("c1") as container:
        await start(container, "alice", Deaf())
        (described,) = await container.management.list_containers()
        assert (described.name, described.domain) == ("c1", "c1.lab.localhost")
        assert described.is_main
        assert described.pid == os.getpid()
        assert before <= described.started <= datetime.now(UTC)
        assert described.started.utcoffset() is not None
        assert (described.agents, described.dead_letters, described.links) == (1, 0, ())


async def test_a_container_says_who_of_some_agents_is_here_and_in_which_state():
    async with Container("c1") as container:
        await start(container, "alice", Deaf())
        await start(container, "bob", Deaf())
        await start(container, "eve")
        container.agents[1].suspend()
        here = "c1.lab.localhost"
        names = [f"{name}@c1.lab.localhost" for name in ("bob", "nobody", "alice", "ams", "eve")]
        await container.management.deactivate("eve")
        located = WhitePages(container).locate([*names, "alice@c2.lab.localhost", "bob@example.org"])
        assert located == (
            AgentPlace(names[0], here, AgentState.SUSPENDED),
            AgentPlace(names[2], here, AgentState.ACTIVE),
            AgentPlace(names[3], here, AgentState.ACTIVE),
            AgentPlace(names[4], here, AgentState.DEACTIVATED),
        )
        message = Message(to=names[4], sender=names[2])
        container.dispatcher.send_nowait(message)  # eve is about to wake
        assert not container.dispatcher.sleepers.is_asleep(names[4])
        assert WhitePages(container).locate(names[4:]) == located[3:]


async def test_an_agent_that_is_being_set_up_is_located_as_initiated():
    class Slow(Agent):
        async def setup(self):
            seen.extend(WhitePages(self.container).locate([self.address]))

    seen = []
    async with Container("c1") as container:
        slow = Slow("slow")
        await container.start(slow)
        assert seen == [AgentPlace(slow.address, container.domain, AgentState.INITIATED)]
