"""Itineraries: where they go next, and what is noted of each stop."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from formicary import Agent, Container, Itinerary
from formicary.errors import AgentStateError, DefinitionError, InvalidNameError, MoveError
from formicary.mobility.behaviours import give_behaviour, take_behaviour
from formicary.mobility.itinerary import Progress, Visit
from formicary.mobility.kinds import Entrance


@dataclass
class Price:
    item: str
    cents: int


class Place:
    """Stands for a container of a platform in which an agent is."""

    def __init__(self, container, members):
        self._container = container
        self.domain = container.domain
        self.members = dict.fromkeys(members)

    def __getattr__(self, name):
        return getattr(self._container, name)


class Traveller(Agent):
    """Moves by saying where it is."""

    def __init__(self, name, members, refused=()):
        super().__init__(name)
        self.log = []
        self.members = [f"{each}.lab.localhost" for each in members]
        self.refused = {f"{each}.lab.localhost": reason for each, reason in dict(refused).items()}
        self.place = None

    @property
    def container(self):
        if self.place is None:
            self.place = Place(self._container, self.members)
        return self.place

    async def move(self, to):
        if reason := self.refused.get(to):
            raise MoveError(reason)
        assert to in self.place.members
        self.log.append(to.partition(".")[0])
        self.place.domain = to


class Shopping(Itinerary):
    async def visit(self, place):
        if place == "c9":
            raise ValueError("out of paper")
        if place == "c8":
            return object()
        return Price("pen", len(self.visits))

    async def at_home(self, results):
        self.agent.results = results


async def travel(stops, away="skip", members=("c1", "c2", "c3", "c8", "c9"), refused=(), before=None):
    """Let an agent go; return where it has been, and the results and reasons of its stops."""
    async with Container("c1") as container:
        traveller = Traveller("t", members, refused)
        shopping = Shopping(stops, away)
        traveller.add_behaviour(shopping)
        await container.start(traveller)
        if before is not None:
            before(traveller)
        await shopping.join()
        assert traveller.container.domain == container.domain
        return traveller.log, [(each.place, each.reason or each.result) for each in traveller.results]


async def test_all_stops_are_visited_in_turn_and_what_they_gave_comes_home():
    log, results = await travel(["c2", "c3.lab.localhost", "c2", "c1"])
    assert log == ["c2", "c3", "c2", "c1"]
    assert results == [
        ("c2", {"item": "pen", "cents": 0}),
        ("c3.lab.localhost", {"item": "pen", "cents": 1}),
        ("c2", {"item": "pen", "cents": 2}),
        ("c1", {"item": "pen", "cents": 3}),
    ]


async def test_one_without_stops_is_at_home_at_once():
    assert await travel([]) == ([], [])
    assert (await travel("c2"))[0] == ["c2", "c1"]


async def test_a_stop_that_fails_is_noted_with_the_reason(caplog):
    caplog.set_level("CRITICAL", "formicary")
    log, results = await travel(["c9", "c2", "c8"])
    assert log == ["c9", "c2", "c8", "c1"]
    assert results[0][1].startswith("ValueError: out of paper (test_itinerary.py:")
    assert results[1] == ("c2", {"item": "pen", "cents": 1})
    assert results[2][1] == (
        "what visit() returned cannot be carried: Encoding objects of type object is unsupported"
    )


@pytest.mark.parametrize("away", ["skip", "wait"])
async def test_a_stop_that_refuses_the_agent_is_left_out(away):
    log, results = await travel(["c2", "c3"], away, refused={"c2": "c2 does not accept module shop"})
    assert (log, results[0]) == (["c3", "c1"], ("c2", "c2 does not accept module shop"))


@pytest.mark.virtual_clock
async def test_a_stop_that_is_away_is_left_out():
    log, results = await travel(["c4", "c3"])
    assert (log, results[0]) == (["c3", "c1"], ("c4", "container c4.lab.localhost is absent"))


@pytest.mark.virtual_clock
async def test_an_agent_may_go_home_where_a_stop_is_away():
    log, results = await travel(["c2", "c4", "c3", "c8"], "home")
    assert log == ["c2", "c1"]
    assert [reason for _, reason in results[1:]] == [
        "container c4.lab.localhost is absent",
        "the agent went home, because it could not go to c4",
        "the agent went home, because it could not go to c4",
    ]


@pytest.mark.virtual_clock
async def test_an_agent_may_wait_for_a_stop():
    def come_later(traveller):
        members = traveller.container.members
        traveller._container.scheduler.loop.call_later(100, members.setdefault, "c4.lab.localhost")

    log, results = await travel(["c4", "c3"], "wait", before=come_later)
    assert (log, results[0]) == (["c4", "c3", "c1"], ("c4", {"item": "pen", "cents": 0}))


@pytest.mark.virtual_clock
@pytest.mark.parametrize("away", ["skip", "wait", "home"])
async def test_without_its_home_an_agent_waits_and_nothing_is_given_up(away, caplog):
    def lose_home(traveller):
        members = traveller.container.members
        del members["c1.lab.localhost"]
        traveller.container.domain = "c2.lab.localhost"
        traveller._container.scheduler.loop.call_later(100, members.setdefault, "c1.lab.localhost")

    log, results = await travel(["c2", "c3"], away, before=lose_home)
    assert (log, [place for place, _ in results]) == (["c3", "c1"], ["c2", "c3"])
    (record,) = caplog.records
    assert record.message.endswith(
        "of agent t cannot continue now, trying again: container c1.lab.localhost is absent"
    )


@pytest.mark.virtual_clock
async def test_one_that_cannot_come_home_tries_again(caplog):
    def refuse(traveller):
        refused = traveller.refused
        refused["c1.lab.localhost"] = "it has not come to rest"
        traveller._container.scheduler.loop.call_later(50, refused.clear)

    log, results = await travel(["c2"], before=refuse)
    assert (log, len(results)) == (["c2", "c1"], 1)
    assert caplog.text.count("it has not come to rest") == 1


async def test_progress_says_what_is_next():
    progress = Progress(["c2", "c3"], "wait")
    assert progress.stop == "c2"
    progress.is_away("it is away")
    progress.is_away("it is away")
    assert (progress.stop, progress.tries) == ("c2", 2)
    progress.has_visited((1, b"x"))
    assert (progress.stop, progress.tries, progress.visits) == ("c3", 0, [Visit("c2", [1, b"x"])])
    progress.is_refused("no")
    assert (progress.stop, progress.visits[1]) == (None, Visit("c3", reason="no"))


async def test_what_cannot_be_an_itinerary_is_refused():
    for stops in (["c 2"], [3], ["c2.-"]):
        with pytest.raises(InvalidNameError):
            Shopping(stops)
    with pytest.raises(AgentStateError, match="away must be one of skip, wait, home, not 'fly'"):
        Shopping(["c2"], "fly")
    broken = Shopping(["c2"])
    broken.data = {}
    with pytest.raises(AgentStateError, match="is reserved for the itinerary, so it cannot be dict"):
        _ = broken.visits


async def test_one_without_a_visit_is_refused_before_it_goes_anywhere():
    class Idle(Itinerary):
        async def at_home(self, results):
            raise AssertionError(results)

    with pytest.raises(DefinitionError, match=r"^Idle has no visit\(\): write `async def visit\("):
        Idle(["c1"])


async def test_its_progress_is_carried():
    shopping = Shopping(["c2", "c3"], "wait")
    shopping.data.has_visited({"cents": 7})
    shopping.data.is_away("it is away")
    async with Container("c1", accepts=[__name__]) as container:
        carried = give_behaviour(take_behaviour(shopping, is_caller=True), Entrance.of(container))
    assert carried.data == Progress(["c2", "c3"], "wait", [Visit("c2", {"cents": 7})], 1)
    assert carried.visits == shopping.visits
