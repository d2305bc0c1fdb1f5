"""Agents that really move, as others ask for it and see it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import do, reasons

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, MicroAgent
from formicary.core.clock import now
from formicary.errors import MoveError, NameTakenError, UnknownAgentError

HERE = "tests.integration.mobility.test_requests"


class Clerk(Agent):
    data: int = 0

    async def setup(self):
        self.add_behaviour(Count())


class Count(CyclicBehaviour):
    async def run(self):
        await self.receive()
        self.agent.data += 1


class Cell(MicroAgent):
    def handle(self, message):
        pass


@asynccontextmanager
async def platform(*names):
    """Open containers that know each other."""
    async with AsyncExitStack() as stack:
        first = Container(names[0], listen="127.0.0.1", accepts=[HERE])
        opened = [await stack.enter_async_context(first)]
        for name in names[1:]:
            container = Container(name, join=first.join_address, accepts=[HERE])
            opened.append(await stack.enter_async_context(container))
        await until(lambda: all(len(each.members) == len(names) for each in opened))
        yield opened


class Lost(Agent):
    async def after_move(self, origin):
        raise LookupError(f"there is nothing for who comes from {origin}")


class Restless(Agent):
    async def after_move(self, origin):
        await self.move("c3")


class Slow(Agent):
    async def after_move(self, origin):
        await asyncio.sleep(600)


class Busy(CyclicBehaviour):
    """Cannot be carried until its event is set."""

    over = None  # an event

    async def run(self):
        await self.over.wait()
        await self.receive()


@pytest.mark.parametrize("kind", [Clerk, Cell])
async def test_an_agent_goes_where_it_is_asked_to_and_is_seen_there(kind):
    async with platform("c1", "c2", "c3") as opened:
        c1, c2, c3 = opened
        await c1.start(kind("ada"))
        for asking, to in ((c1, c2), (c3, c3), (c2, c1), (c3, c2)):
            await asking.management.move("ada@c1", to.name)
            assert [[agent.name for agent in each.agents] for each in opened] == [
                ["ada"] if each is to else [] for each in opened
            ]
            for looking in opened:
                found = await looking.management.find("ada@c1")
                assert (found.container, found.state) == (to.domain, AgentState.ACTIVE)
                assert list(await looking.management.list_agents()) == [found]
        await c3.management.retract("ada@c1")
        assert (await c1.management.find("ada")).container == c3.domain
        assert await c1.management.clone("ada", "c2", "bob") == f"bob@{c2.domain}"
        assert await c2.management.clone("ada@c1", "c1", "eve") == f"eve@{c1.domain}"
        assert sorted(agent.name for agent in await c3.management.list_agents()) == [
            f"ada@{c1.domain}",
            f"bob@{c2.domain}",
            f"eve@{c1.domain}",
        ]
        with pytest.raises(NameTakenError, match="now lives in container c3"):
            await c1.start(kind("ada"))
        await c2.management.kill("ada@c1")
        assert c3.agents == ()
        with pytest.raises(UnknownAgentError):
            await c1.management.find("ada")
        await until(lambda: c1.dispatcher.domain_of(f"ada@{c1.domain}") is None)
        await c1.start(kind("ada"))
        assert [reasons(each) for each in opened] == [[], [], []]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Lost, r"its after_move\(\) failed: LookupError: there is nothing for who comes from c1\."),
        (
            Restless,
            r"its after_move\(\) failed: MoveError: agent ada is already about to move: to c2 since",
        ),
    ],
)
async def test_who_asks_is_told_that_an_agent_has_ended_where_it_has_arrived(kind, why):
    async with platform("c1", "c2", "c3") as (c1, c2, c3):
        await c1.start(kind("ada"))
        with pytest.raises(MoveError, match=rf"^agent ada ended in container c2: {why}"):
            await c3.management.move("ada@c1", "c2")
        assert (c1.agents, c2.agents) == ((), ())
        await c1.start(Agent("ada"))  # its name is free


async def test_one_whose_hook_runs_is_seen_in_transit_and_can_be_killed():
    async with platform("c1", "c2") as (c1, c2):
        await c1.start(Slow("ada"))
        moving = asyncio.create_task(c1.management.move("ada", "c2"))
        await until(lambda: "ada@c1.lab.localhost" in c2.lifecycle.arriving)
        for looking in (c1, c2):
            (listed,) = await looking.management.list_agents(state="transit")
            (located,) = await looking.management.locate(["ada@c1"])
            assert listed == await looking.management.find("ada@c1")
            for seen in (listed, located):
                assert (seen.container, seen.state) == (c2.domain, AgentState.TRANSIT)
                assert (seen.transit.to, seen.transit.waits_for) == (c2.domain, "its after_move()")
        with pytest.raises(MoveError, match=r"^agent ada is already about to move: to c2 since "):
            await c1.management.move("ada", "c1")
        await c1.management.kill("ada")
        with pytest.raises(MoveError, match=r"^agent ada ended in container c2: it was stopped before its"):
            await moving


async def test_one_that_is_about_to_move_is_not_kept_where_it_is():
    async with platform("c1", "c2") as (c1, c2):
        await c1.start(ada := Agent("ada"))
        Busy.over = asyncio.Event()
        ada.add_behaviour(Busy())
        await asyncio.sleep(0)
        moving = asyncio.create_task(c2.management.move("ada@c1", "c2"))
        await until(lambda: ada.state is AgentState.TRANSIT)
        with pytest.raises(MoveError, match=r"^agent ada is already about to move: to c2 since "):
            await c1.management.retract("ada")
        Busy.over.set()
        await moving
        assert [agent.name for agent in c2.agents] == ["ada"]


async def test_an_agent_on_its_way_is_in_transit_where_it_was():
    async with platform("c1", "c2") as (c1, c2):
        clerk = Clerk("ada")
        await c1.start(clerk)
        seen = []

        def look(event):
            def looked(*arguments):
                seen.append(clerk.state)
                return event(*arguments)

            return looked

        mobility = c1.platform_services.mobility
        mobility._departing.send_off = look(mobility._departing.send_off)
        await c1.management.move("ada", "c2")
        assert AgentState.TRANSIT in seen
        assert (await c2.management.find("ada@c1")).transit is None


async def test_where_an_agent_goes_and_what_it_waits_for_is_seen_from_outside():
    async with platform("c1", "c2", "c3") as (c1, c2, c3):
        await c1.start(Clerk("ada"))
        await c1.management.move("ada", "c2")
        (ada,) = c2.agents
        before = now()
        hand_over = c2.platform_services.mobility.machine
        hand_over.receive = lambda domain, payload: None  # nothing that is said of it is heard
        moving = asyncio.create_task(ada.move("c3"))
        await until(lambda: hand_over.source.departures.get("ada@c1.lab.localhost"))
        (found,) = await c1.management.list_agents("ada")
        assert (found.container, found.state) == (c2.domain, AgentState.TRANSIT)
        transit = found.transit
        assert (transit.to, transit.waits_for) == (c3.domain, "c3 to make it ready")
        assert before <= transit.since <= now()
        shown = str(transit)
        assert shown.startswith("to c3 since ")
        assert shown.endswith(", waits for c3 to make it ready")
        moving.cancel()
        await asyncio.wait([moving])
        assert (await c1.management.list_agents("ada"))[0].transit is None


async def test_one_that_does_not_come_to_rest_yet_waits_for_that():
    async with platform("c1", "c2") as (c1, _):
        busy = Agent("busy")
        await c1.start(busy)
        busy.add_behaviour(do(lambda _: asyncio.Event().wait()))
        moving = asyncio.create_task(busy.move("c2"))
        await until(lambda: busy.state is AgentState.TRANSIT)
        transit = (await c1.management.find("busy")).transit
        assert (transit.to, transit.waits_for) == (
            "c2.lab.localhost",
            "its behaviours to reach a resting point",
        )
        moving.cancel()
        await asyncio.wait([moving])
        assert (await c1.management.find("busy")).state is AgentState.ACTIVE


async def test_moves_that_are_asked_for_at_once_end_in_one_place():
    async with platform("c1", "c2", "c3") as opened:
        c1 = opened[0]
        await c1.start(Clerk("ada"))
        places = [opened[number % 3] for number in range(12)]
        moves = [each.management.move("ada@c1", each.name) for number, each in enumerate(places)]
        results = await asyncio.gather(*moves, return_exceptions=True)
        assert {type(result) for result in results} <= {type(None), MoveError, UnknownAgentError}
        found = await c1.management.find("ada")
        assert [len(each.agents) for each in opened] == [
            1 if each.domain == found.container else 0 for each in opened
        ]
        for container in opened:
            message = Message(to=found.name, sender=f"x@{container.domain}")
            container.dispatcher.send_nowait(message)
        (ada,) = [agent for each in opened for agent in each.agents]
        await until(lambda: ada.data == 3)


async def test_why_an_agent_does_not_move_is_told_from_wherever():
    async with platform("c1", "c2", "c3") as (c1, c2, c3):
        await c2.start(Agent("plain"))
        await c2.start(Unwilling("unwilling"))
        for asking in (c1, c2, c3):
            with pytest.raises(MoveError, match="not today"):
                await asking.management.move("unwilling@c2", "c3")
            with pytest.raises(MoveError, match="c9"):
                await asking.management.move("plain@c2", "c9")
        assert len(c2.agents) == 2


@pytest.mark.parametrize("asks", ["itself", "home", "another"])
async def test_an_agent_whose_hook_fails_stays_and_who_has_asked_is_told_why(asks, caplog):
    async with platform("c1", "c2") as (c1, c2):
        await c1.start(hasty := Hasty("hasty"))
        moving = {
            "itself": lambda: hasty.move("c2"),
            "home": lambda: c1.management.move("hasty", "c2"),
            "another": lambda: c2.management.move("hasty@c1", "c2"),
        }
        why = r"hasty cannot move: its before_move\(\) failed: KeyError: 'desk' \(test_requests.py:\d+"
        with pytest.raises(MoveError, match=why):
            await moving[asks]()
        assert (c1.agents, hasty.state) == ((hasty,), AgentState.ACTIVE)
        assert [record.getMessage() for record in caplog.records] == ["before_move of agent hasty failed"]


class Hasty(Agent):
    async def before_move(self, destination):
        raise KeyError("desk")


class Unwilling(Agent):
    async def before_move(self, destination):
        raise MoveError("not today")
