"""Itineraries through real containers: what is got on the way comes home, whatever happens to the stops."""

from __future__ import annotations

import asyncio
import contextlib

from tests.integration.transport.raw import until

from formicary import Agent, Container, Itinerary, Message
from formicary.errors import MoveError

HERE = "tests.integration.mobility.test_itinerary"


class Scout(Agent):
    """Goes where it is told, and notes there what it has seen."""

    data: list[str]
    reports: asyncio.Queue

    def __init__(self, name, stops, away="skip"):
        super().__init__(name)
        self.data = []
        self.add_behaviour(Scouting(stops, away))

    async def before_move(self, destination):
        if destination.startswith("c5."):
            raise MoveError("not to c5")


class Scouting(Itinerary):
    async def visit(self, place):
        self.agent.data.append(self.agent.container.name)
        if place == "c4":
            message = await self.receive()
            return message.body
        return {"place": place, "before": len(self.visits)}

    async def at_home(self, results):
        Scout.reports.put_nowait((self.agent.container.name, self.agent.data, results))


@contextlib.asynccontextmanager
async def platform(*names):
    """Open containers that know each other, and give them by name."""
    Scout.reports = asyncio.Queue()
    async with contextlib.AsyncExitStack() as stack:
        first = Container(names[0], listen="127.0.0.1", accepts=[HERE])
        opened = {names[0]: await stack.enter_async_context(first)}
        for name in names[1:]:
            container = Container(name, join=first.join_address, accepts=[HERE])
            opened[name] = await stack.enter_async_context(container)
        await until(lambda: all(len(each.members) == len(names) for each in opened.values()))
        yield opened


async def test_what_is_got_on_the_way_comes_home():
    async with platform("c1", "c2", "c3") as opened:
        await opened["c1"].start(Scout("ada", ["c2", "c3", "c1", "c2"]))
        home, data, results = await Scout.reports.get()
        assert (home, data) == ("c1", ["c2", "c3", "c1", "c2"])
        assert [(each.place, each.result, each.reason) for each in results] == [
            (place, {"place": place, "before": number}, None)
            for number, place in enumerate(["c2", "c3", "c1", "c2"])
        ]
        (ada,) = opened["c1"].agents
        await until(lambda: not ada.behaviours)  # it has ended, and the agent lives on
        assert opened["c2"].agents == opened["c3"].agents == ()


async def test_stops_that_are_away_or_not_wanted_are_left_out_with_the_reason():
    async with platform("c1", "c2", "c5") as opened:
        await opened["c1"].start(Scout("ada", ["c9", "c2", "c5", "c2"]))
        _, data, results = await Scout.reports.get()
        assert data == ["c2", "c2"]
        assert [each.reason for each in results] == [
            "container c9.lab.localhost is absent",
            None,
            "not to c5",
            None,
        ]


async def test_an_agent_waits_for_a_stop_and_can_be_moved_meanwhile():
    async with platform("c1", "c2", "c3") as opened:
        c1 = opened["c1"]
        await c1.start(Scout("ada", ["c2", "c4"], "wait"))
        await until(lambda: opened["c2"].agents)
        (ada,) = opened["c2"].agents
        await until(lambda: ada.behaviours and ada.behaviours[0].data.tries)
        await c1.management.move("ada", "c3")
        async with Container("c4", join=c1.join_address, accepts=[HERE]) as c4:
            await until(lambda: c4.agents)
            (found,) = await c1.management.list_agents("ada")
            assert found.container == c4.domain
            message = Message(to="ada", body="go on", sender="ada@c1.lab.localhost")
            c1.dispatcher.send_nowait(message)
            _, data, results = await Scout.reports.get()
        assert data == ["c2", "c4"]
        assert results[1].result == "go on"
