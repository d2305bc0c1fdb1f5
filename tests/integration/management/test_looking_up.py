"""Where many agents are, by their names, asked at once from anywhere."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack

import pytest
from tests.integration.management.conftest import CREW
from tests.integration.management.crew import Cell
from tests.integration.transport.raw import until
from tests.unit.core.agents import Deaf, do, start

from formicary import Agent, AgentState, Container, Instrument
from formicary.errors import ContainerClosedError, InvalidNameError, ManagementError
from formicary.fipa.language import ONTOLOGY
from formicary.management.descriptions import AgentPlace
from formicary.management.requests.language import encode_error

HERE = "tests.integration.management.test_looking_up"
ACTIVE = AgentState.ACTIVE


class Tourist(Agent):
    """Can move, and sleep."""


class Asked(Instrument):
    """Keeps the containers that are asked."""

    def __init__(self):
        self.containers = []

    def message_sent(self, message):
        if message.performative == "request":
            self.containers.append(message.to)


def seen(places):
    return [((place.container or "").partition(".")[0], place.state) for place in places]


def guest_of(container):
    return Container("guest", join=container.join_address, guest=True)


@pytest.fixture
def impatient(monkeypatch):
    """Have containers that do not answer given up soon."""
    monkeypatch.setattr("formicary.management.requests.router.TIMEOUT", 2.0)


async def test_from_everywhere_they_are_seen_where_they_are_and_as_they_are(platform):
    async with platform("c1", "c2", "c3", accepts=[HERE]) as (c1, c2, c3), guest_of(c1) as guest:
        for name in ("ada", "eve"):
            await c1.start(Tourist(name))
        bob = await start(c2, "bob", Deaf())
        bob.suspend()
        await c3.start(Cell("cell"))
        await c1.management.move("ada", "c2")
        await c1.management.deactivate("eve")
        names = [
            "ada@c1",
            "bob@c2.lab.localhost",
            "cell@c3",
            "eve@c1",
            "ada@c1",
            "nobody@c2",
            "x@example.org",
        ]
        for looking in (c1, c2, c3, guest):
            places = await looking.management.locate(names)
            assert seen(places) == [
                ("c2", ACTIVE),
                ("c2", AgentState.SUSPENDED),
                ("c3", ACTIVE),
                ("c1", AgentState.DEACTIVATED),
                ("c2", ACTIVE),
                ("", None),
                ("", None),
            ]
            assert places[0].name == "ada@c1.lab.localhost"
            assert [place.reason for place in places[-2:]] == [
                "no agent named 'nobody' lives in container c2",
                "x@example.org is not an agent of the platform lab.localhost",
            ]
            assert places.missing == ()
            assert await looking.management.locate([]) == ()
        assert seen(await c2.management.locate(["bob"])) == [("c2", AgentState.SUSPENDED)]
        assert seen(await guest.management.locate(["ada"])) == [("c2", ACTIVE)]  # short: of its platform's


async def test_by_a_message_it_is_the_same(platform, asker):
    async with platform("c1", "c2", accepts=[HERE]) as (c1, c2):
        await c1.start(Tourist("ada"))
        await c1.management.move("ada", "c2")
        asking = await asker(c2)
        place = {"name": "ada@c1.lab.localhost", "container": "c2.lab.localhost", "state": "active"}
        for ams in ("ams@c1", "ams@c2"):
            said, content = await asking.ask(ams, {"action": "locate", "agents": ["ada@c1"]})
            assert (said, content) == (["agree", "inform"], {"done": "locate", "places": [place]})
        known = {"action": "locate", "agents": ["ada@c1", "asker@c2"], "container": "c1"}
        assert await asking.ask("ams@c1", known) == (
            ["inform"],
            {"done": "locate", "places": [{"name": place["name"], "container": place["container"]}]},
        )


async def test_one_on_its_way_is_in_transit(platform):
    async with platform("c1", "c2", "c3", accepts=[HERE]) as (c1, c2, c3), guest_of(c1) as guest:
        await c1.start(Tourist("ada"))
        await c1.management.move("ada", "c2")
        (ada,) = c2.agents
        hand_over = c2.platform_services.mobility.machine
        hand_over.receive = lambda domain, payload: None  # nothing that is said of it is heard
        moving = asyncio.create_task(ada.move("c3"))
        await until(lambda: hand_over.source.departures.get(ada.address))
        for looking in (c1, c2, c3, guest):
            (place,) = await looking.management.locate([ada.address])
            assert (place.container, place.state) == (c2.domain, AgentState.TRANSIT)
            assert (place.transit.to, place.transit.waits_for) == (c3.domain, "c3 to make it ready")
        moving.cancel()
        await asyncio.wait([moving])


async def test_one_that_is_under_way_all_the_time_is_found_each_time(platform):
    async with platform("c1", "c2", "c3", accepts=[HERE]) as (c1, c2, c3):
        await c1.start(Tourist("ada"))

        async def wander():
            for number in range(60):
                await c1.management.move("ada", ("c2", "c3", "c1")[number % 3])

        wandering = asyncio.create_task(wander())
        while not wandering.done():
            for looking in (c1, c2, c3):
                (place,) = await looking.management.locate(["ada@c1"])
                assert place.state in {ACTIVE, AgentState.TRANSIT}, place
        await wandering


async def test_one_whose_home_has_ended_is_found_where_it_lives_on(platform, join_process):
    async with platform("c1", "c2", accepts=[CREW]) as (c1, c2), join_process(c1, "c3") as process:
        await until(lambda: len(c2.members) == 3)
        await c1.management.create(f"{CREW}:Cell", "cell", container="c3")
        await c1.management.move("cell@c3", "c2")
        process.kill()
        await until(lambda: len(c1.members) == len(c2.members) == 2)
        found, lost = await c1.management.locate(["cell@c3", "clerk@c3"])
        assert seen([found]) == [("c2", ACTIVE)]
        assert "the home of clerk@c3.lab.localhost, is gone" in lost.reason


async def test_each_container_that_is_concerned_is_asked_once(platform):
    async with platform("c1", "c2", "c3") as (c1, c2, _):
        names = [f"cell-{number}" for number in range(100)]
        await c1.management.create_many(Cell, names, container="c2")
        asked = Asked()
        c1.add_instrument(asked)
        places = await c1.management.locate(f"{name}@c2" for name in names)
        assert seen(places) == [("c2", ACTIVE)] * 100
        assert asked.containers == [f"ams@{c2.domain}"]


async def test_a_great_many_are_asked_for_in_several_requests(platform):
    async with platform("c1", "c2") as (c1, c2), guest_of(c1) as guest:
        for number in range(21_000):
            await c2.start(Cell(f"cell-{number}"))
        asked = Asked()
        guest.add_instrument(asked)
        places = await guest.management.locate([f"cell-{number}@c2" for number in range(21_000)])
        assert asked.containers == [f"ams@{c1.domain}"] * 3
        assert [place.name for place in places[::7000]] == [
            f"cell-{n}@{c2.domain}" for n in (0, 7000, 14_000)
        ]
        assert {place.state for place in places} == {ACTIVE}


async def test_a_container_that_stands_still_is_missing_and_the_rest_is_there(
    platform, join_process, impatient
):
    async with platform("c1", "c2") as (c1, c2), join_process(c1, "c3") as process, guest_of(c1) as guest:
        await until(lambda: len(c2.members) == 3)
        await start(c2, "bob", Deaf())
        process.send_signal(signal.SIGSTOP)
        why = "ams@c3.lab.localhost has not answered within 2 s"
        for looking in (c1, c2, guest):
            places = await looking.management.locate(["clerk@c3", "bob@c2"])
            assert places[0] == AgentPlace("clerk@c3.lab.localhost", reason=why)
            assert seen(places[1:]) == [("c2", ACTIVE)]
            assert [(each.domain, each.reason) for each in places.missing] == [("c3.lab.localhost", why)]


async def test_a_guest_that_gets_no_answer_is_told_so_of_all(platform, impatient):
    async with platform("c1") as (c1,), guest_of(c1) as guest:
        await start(c1, "bob", Deaf())
        c1.platform_services.agent.serve(ONTOLOGY, lambda message: None)
        places = await guest.management.locate(["bob", "eve"])
        why = "ams@c1.lab.localhost has not answered within 5 s"
        assert places == tuple(AgentPlace(f"{name}@c1.lab.localhost", reason=why) for name in ("bob", "eve"))
        assert [each.domain for each in places.missing] == ["c1.lab.localhost"]


async def test_a_guest_does_not_take_a_container_for_missing_that_says_why_it_does_not_answer(platform):
    async with platform("c1") as (c1,), guest_of(c1) as guest:
        agent = c1.platform_services.agent

        async def refuse(message):
            await agent.send(agent.make_answer(message, *encode_error(ManagementError("ask for fewer"))))

        agent.serve(ONTOLOGY, refuse)
        with pytest.raises(ManagementError, match="ask for fewer"):
            await guest.management.locate(["bob"])


async def test_a_guest_whose_platform_has_ended_is_told_so_of_all(platform):
    async with AsyncExitStack() as stack:
        async with platform("c1") as (c1,):
            guest = await stack.enter_async_context(guest_of(c1))
            await until(lambda: guest.members)
        await until(lambda: not guest.members)
        (bob,) = places = await guest.management.locate(["bob"])
        assert (bob.state, [each.domain for each in places.missing]) == (None, ["c1.lab.localhost"])
        assert bob.reason == places.missing[0].reason
        assert "c1" in bob.reason


async def test_a_behaviour_may_ask_and_alone_there_is_nobody_else_to_ask():
    async with Container("c1") as c1:
        asking = do(lambda behaviour: behaviour.agent.container.management.locate(["alice", "bob@c2"]))
        await start(c1, "alice", asking, Deaf())
        await asking.join()
        alice, bob = asking.result
        assert seen([alice, bob]) == [("c1", ACTIVE), ("", None)]
        assert "container c2, the home of bob@c2.lab.localhost, is gone" in bob.reason


async def test_bad_input_is_refused_where_it_is_written():
    async with Container("c1") as c1:
        management = c1.management
        with pytest.raises(InvalidNameError, match=r"several names must be a list, as in \['alice'\]"):
            await management.locate("alice")
        for names in (["a b"], ["alice", ""], [3], ["a@c 1"]):
            with pytest.raises(InvalidNameError):
                await management.locate(names)
    with pytest.raises(ContainerClosedError):
        await management.locate(["alice"])
