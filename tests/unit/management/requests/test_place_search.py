"""Whom a search for agents asks about what, and what it says of those that it does not find."""

from __future__ import annotations

import asyncio

import pytest
from tests.integration.transport.raw import until

from formicary import AgentState
from formicary.errors import ManagementError
from formicary.management.descriptions import AgentPlace, Missing
from formicary.management.requests.place_search import PlaceSearch

ACTIVE, TRANSIT = AgentState.ACTIVE, AgentState.TRANSIT
PAUSES = (0.01, 0.1)

pytestmark = pytest.mark.virtual_clock


def full(short):
    return f"{short}.lab.localhost"


class Platform:
    """Containers that say what they know, and keep what they were asked.

    Args:
        known: by container and agent, the agent's state if it lives there, or else where it lives.
    """

    def __init__(self, **known):
        self.known = known
        self.hung, self.broken = set(), set()
        self.asked = []

    async def ask(self, domain, agents):
        container = domain.partition(".")[0]
        self.asked.append((container, *(agent.removesuffix(".lab.localhost") for agent in agents)))
        if container in self.hung:
            await asyncio.get_running_loop().create_future()
        if container in self.broken:
            raise ManagementError(f"container {container} cannot be reached")
        await asyncio.sleep(0)
        return tuple(self._answers(container, agents))

    def _answers(self, container, agents):
        for agent in agents:
            known = self.known[container].get(agent.partition(".")[0])
            if isinstance(known, AgentState):
                yield AgentPlace(agent, full(container), known)
            elif known is not None:
                yield AgentPlace(agent, full(known))

    async def locate(self, *names):
        search = PlaceSearch("lab.localhost", map(full, self.known), self.ask)
        await search.run(tuple(map(full, names)), 5.0, PAUSES)
        self.missing = search.missing
        return [search.place(full(name)) for name in names]


def seen(places):
    """Give containers and states, short."""
    return [((place.container or "").partition(".")[0], place.state) for place in places]


async def test_each_home_is_asked_once_about_all_of_its_agents_and_nobody_else():
    platform = Platform(c1={"a@c1": ACTIVE, "b@c1": AgentState.DEACTIVATED}, c2={"c@c2": TRANSIT}, c3={})
    assert seen(await platform.locate("a@c1", "c@c2", "b@c1", "a@c1")) == [
        ("c1", ACTIVE),
        ("c2", TRANSIT),
        ("c1", AgentState.DEACTIVATED),
        ("c1", ACTIVE),
    ]
    assert platform.asked == [("c1", "a@c1", "b@c1"), ("c2", "c@c2")]
    assert platform.missing == ()
    assert await platform.locate() == []


async def test_those_that_have_moved_are_asked_for_where_their_homes_say():
    known = {"a@c1": "c2", "b@c1": "c2", "c@c1": ACTIVE}
    platform = Platform(c1=known, c2={"a@c1": ACTIVE, "b@c1": ACTIVE}, c3={})
    assert seen(await platform.locate("a@c1", "b@c1", "c@c1")) == [
        ("c2", ACTIVE),
        ("c2", ACTIVE),
        ("c1", ACTIVE),
    ]
    assert platform.asked == [("c1", "a@c1", "b@c1", "c@c1"), ("c2", "a@c1", "b@c1")]


async def test_one_of_which_its_home_knows_nothing_is_not_looked_for_elsewhere():
    platform = Platform(c1={}, c2={})
    (place,) = await platform.locate("a@c1")
    assert place == AgentPlace(full("a@c1"), reason="no agent named 'a' lives in container c1")
    assert platform.asked == [("c1", "a@c1")]


async def test_who_is_outside_the_platform_is_asked_of_nobody():
    platform = Platform(c1={})
    search = PlaceSearch("lab.localhost", [full("c1")], platform.ask)
    await search.run(["ada@example.org"], 5.0, PAUSES)
    reason = "ada@example.org is not an agent of the platform lab.localhost"
    assert search.place("ada@example.org") == AgentPlace("ada@example.org", reason=reason)
    assert platform.asked == []


async def test_a_container_that_hangs_holds_up_nothing_but_what_only_it_knows():
    platform = Platform(c1={"a@c1": ACTIVE, "b@c1": "c2"}, c2={}, c3={"d@c2": ACTIVE})
    platform.hung = {"c2"}
    before = asyncio.get_running_loop().time()
    places = await platform.locate("a@c1", "b@c1", "c@c2", "d@c2")
    assert asyncio.get_running_loop().time() - before == pytest.approx(5.0)
    assert seen(places) == [("c1", ACTIVE), ("c2", None), ("", None), ("c3", ACTIVE)]
    why = "ams@c2.lab.localhost has not answered within 5 s"
    assert [place.reason for place in places] == [None, why, why, None]
    assert platform.missing == (Missing(full("c2"), why),)


async def test_a_container_that_cannot_be_reached_is_missing_with_the_reason():
    platform = Platform(c1={"a@c1": ACTIVE}, c2={})
    platform.broken = {"c2"}
    places = await platform.locate("a@c1", "b@c2")
    assert [place.reason for place in places] == [None, "container c2 cannot be reached"]
    assert platform.missing == (Missing(full("c2"), "container c2 cannot be reached"),)


async def test_one_that_is_to_go_to_a_container_that_hangs_is_seen_where_it_still_is():
    platform = Platform(c1={"a@c1": "c3"}, c2={"a@c1": TRANSIT}, c3={})
    platform.hung = {"c3"}
    assert seen(await platform.locate("a@c1")) == [("c2", TRANSIT)]
    assert platform.missing == ()  # all is known without it


async def test_one_whose_home_is_not_there_is_asked_for_everywhere():
    platform = Platform(c1={}, c2={"a@c9": ACTIVE})
    found, lost = await platform.locate("a@c9", "b@c9")
    assert seen([found]) == [("c2", ACTIVE)]
    assert (
        lost.reason == "container c9, the home of b@c9.lab.localhost, is gone, and no other container has it"
    )
    platform.hung = {"c2"}
    (place,) = await platform.locate("a@c9")
    assert place.reason == "ams@c2.lab.localhost has not answered within 5 s"


async def test_one_between_two_containers_is_looked_for_again():
    platform = Platform(c1={"a@c1": "c2"}, c2={})
    searching = asyncio.create_task(platform.locate("a@c1"))
    await until(lambda: len(platform.asked) == 4)
    platform.known["c2"] = {"a@c1": ACTIVE}
    assert seen(await searching) == [("c2", ACTIVE)]


async def test_one_that_does_not_come_or_has_ended_is_given_up():
    platform = Platform(c1={"a@c1": "c2"}, c2={})
    (place,) = await platform.locate("a@c1")
    assert seen([place]) == [("c2", None)]
    assert place.reason == (
        "container c2, where its home says that a@c1.lab.localhost is, does not have it: it is "
        "moving, or has ended"
    )
    platform.asked.clear()
    searching = asyncio.create_task(platform.locate("a@c1"))
    await until(lambda: len(platform.asked) == 4)
    platform.known["c1"] = {}
    (place,) = await searching
    assert place == AgentPlace(full("a@c1"), reason="no agent named 'a' lives in container c1")


async def test_of_one_that_moves_meanwhile_where_it_has_come_to_counts():
    platform = Platform(c1={"a@c9": TRANSIT}, c2={"a@c9": ACTIVE}, c3={"b@c9": ACTIVE})
    platform.known["c2"]["b@c9"] = TRANSIT
    assert [state for _, state in seen(await platform.locate("a@c9", "b@c9"))] == [ACTIVE, ACTIVE]


async def test_who_is_cancelled_leaves_no_question_behind():
    platform = Platform(c1={})
    platform.hung = {"c1"}
    searching = asyncio.create_task(platform.locate("a@c1"))
    await until(lambda: platform.asked)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert asyncio.all_tasks() == {asyncio.current_task()}
