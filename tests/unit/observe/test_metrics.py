"""Figures of containers, what they do in a second, and how that is shown."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.cli.top_view import lines, records
from formicary.core.blockers import Blocker
from formicary.management.descriptions import Listing, Missing
from formicary.management.requests.language import decode_result, encode
from formicary.management.requests.looking_up import Measured
from formicary.observe.metrics import Busy, Figures, LinkFigures, measure, rates
from formicary.profiling.accounting.accounting import accounting

LINK = LinkFigures("c2.lab.localhost", "direct", True, 100, 50, 10, 10, 0, 0, 0.002)
C1 = Figures(
    "c1",
    "c1.lab.localhost",
    "here",
    1,
    10.0,
    5.0,
    50_000_000,
    3,
    100,
    200,
    7,
    (Busy("a/B", 7.0),),
    1,
    (LINK,),
)
LATER = replace(
    C1,
    clock_s=12.0,
    cpu_s=6.0,
    resumed=300,
    handled=200,
    dead_letters=2,
    links=(replace(LINK, messages_sent=300, messages_received=60, frames_sent=20),),
    cpu_by_group={"agents": 0.5, "platform": 0.25},
    blocked=2,
    blockers=(Blocker("jam/Print", 2, 0.34, "shop.py:6, in run"),),
)


class Sleeper(CyclicBehaviour):
    async def run(self):
        await asyncio.sleep(1000)


class Echo(MicroAgent):
    def handle(self, message):
        self.send_nowait(message.make_reply(body=""))


class Ask(OneShotBehaviour):
    def __init__(self, receiver, rounds):
        super().__init__()
        self.receiver = receiver
        self.rounds = rounds

    async def run(self):
        for _ in range(self.rounds):
            await self.send(Message(to=self.receiver, body=""))
            await self.receive()


def agent(name, behaviour):
    made = Agent(name)
    made.add_behaviour(behaviour)
    return made


async def test_what_is_counted_within_a_container():
    async with Container("c1") as container:
        await container.start(Echo("echo"))
        await container.start(agent("sleeper", Sleeper()))
        before = measure(container)
        ask = Ask("echo", 70)
        await container.start(agent("ask", ask))
        await ask.join()
        for _ in range(3):
            container.agents[0].send_nowait(Message(to="sleeper", body=""))
        after = measure(container)
        assert after.handled - before.handled == 70
        assert after.resumed - before.resumed >= 70
        assert (after.waiting, after.fullest) == (3, (Busy("sleeper/Sleeper", 3),))
        assert after.agents == 3
        assert after.memory_bytes > 1_000_000
        assert after.cpu_s > before.cpu_s
        assert (after.cpu_by_group, after.busiest, after.links) == ({}, (), ())


async def test_messages_are_counted_by_link_and_asked_for_from_another_container():
    async with (
        Container("c1", listen="127.0.0.1") as one,
        Container("c2", join=one.join_address) as two,
    ):
        await two.start(Echo("echo"))
        ask = Ask("echo@c2", 40)
        await one.start(agent("ask", ask))
        await ask.join()
        first, second = await one.management.figures()
        assert (first.name, second.name) == ("c1", "c2")
        assert second == decode_result(encode(Measured("measure", figures=(second,))), Measured).figures[0]
        (there,), (back,) = first.links, second.links
        assert there.messages_sent >= 40
        assert back.messages_received == there.messages_sent or back.messages_received >= 40
        assert there.frames_sent >= 1


async def test_cpu_by_group_is_there_while_it_is_accounted():
    async with Container("c1") as container:
        async with accounting(container):
            busy = Busier()
            await container.start(agent("busy", busy))
            await busy.join()
            found = measure(container)
        assert found.busiest[0].name == "busy/Busier"
        assert found.cpu_by_group["agents"] >= found.busiest[0].amount > 0.005
        assert measure(container).cpu_by_group == {}


class Busier(OneShotBehaviour):
    async def run(self):
        sum(range(3_000_000))


def test_rates_are_differences_by_the_containers_own_clock():
    found = rates(C1, LATER)
    assert (found.seconds, found.cpu, found.resumed, found.handled) == (2.0, 0.5, 100.0, 0.0)
    assert (found.sent, found.received, found.dead_letters) == (100.0, 5.0, 0.5)
    assert found.links[0].per_frame == 20
    assert found.cpu_by_group == {"agents": 0.25, "platform": 0.125}


@pytest.mark.parametrize(
    "before",
    [None, C1, replace(C1, pid=2), replace(C1, host="there"), replace(C1, resumed=1000)],
    ids=["new", "at once", "restarted", "elsewhere", "another of the process"],
)
def test_there_are_no_rates_without_two_looks_at_the_same_container(before):
    assert rates(before, C1 if before is C1 else replace(LATER, resumed=300)) is None


def test_a_link_that_was_made_anew_counts_from_its_beginning():
    found = rates(replace(C1, links=(replace(LINK, messages_sent=9999),)), LATER)
    assert found.links[0].sent == 150


def test_tables_and_json_of_two_looks():
    visitor = replace(LINK, peer="cli-1.lab.localhost")
    before = Listing.of([C1], ())
    after = Listing.of(
        [replace(LATER, links=(*LATER.links, visitor)), replace(C1, name="c3", domain="c3.lab.localhost")],
        (Missing("c4.lab.localhost", "it is \x1b[31mgone"),),
    )
    text = "\n".join(lines(before, after))
    assert "c1 - c2  direct" in text
    assert "cli-1" not in text
    assert "a/B@c1" in text
    assert "\x1b" not in text
    assert "c4.lab.localhost could not be reached" in text
    assert "CPU %  AGENTS  PLATFORM" in text
    (row,) = [line for line in text.splitlines() if line.startswith("jam/Print@")]
    assert row.split() == ["jam/Print@c1", "2", "0.3", "s", "shop.py:6,", "in", "run"]
    row = next(line for line in text.splitlines() if line.startswith("c1 "))
    assert row.split() == ["c1", "here", "1", "50", "50", "MB", "3", "0", "100", "0", "100", "5", "7", "0.5"]
    new = next(line for line in text.splitlines() if line.startswith("c3 "))
    assert new.split()[3] == "-"
    assert [record["rates"] is None for record in records(before, after)] == [False, True]
