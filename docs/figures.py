"""Measures again what these pages say that things cost.

    python docs/figures.py            # all of it: a minute
    python docs/figures.py search compute

It prints medians over rounds, with the lowest and the highest, and where they were measured. Figures of CPU
time hold on a busy machine too, roughly; those of `compute` are times by the clock, and do not. What the
laboratory measures has its command on the page.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import time
from importlib.metadata import version
from statistics import median

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.protocols import ContractNet, Propose, QueryRef, Request, RequestWhen, responds

ROUNDS = 15
SERVICES, TYPES = 1000, 200
REQUESTS, BIDDERS = 4000, 100


def show(name, values, unit, page):
    low, high = min(values), max(values)
    print(f"{name:<38} {median(values):8.3g} {unit:<6}({low:.3g} to {high:.3g}), {page}", flush=True)


async def cost(act, times, clock=time.thread_time):
    """Return what it takes to do something once, in seconds: by this thread's CPU clock, or another."""
    before = clock()
    for _ in range(times):
        await act()
    return (clock() - before) / times


# the directory


async def search():
    async with Container("c1") as container:
        agent = Agent("provider")
        await container.start(agent)
        for number in range(SERVICES):
            await agent.directory.register(type=f"type-{number % TYPES}", name=f"service-{number}")
        directory = container.directory
        some = [await cost(lambda: directory.search(type="type-7"), 500) for _ in range(ROUNDS)]
        found = len(await directory.search(type="type-7"))
        where = [await cost(lambda: directory.search(protocols=["none"]), 10) for _ in range(ROUNDS)]
    page = "directory.md, How it is built"
    show(f"search, {found} of {SERVICES} services found", [1e6 * one for one in some], "µs", page)
    each = [1e6 * one / SERVICES for one in where]
    show("each service that a search examines", each, "µs", "directory.md, Descriptions and queries")


# compute


async def compute():
    for where in ("processes", "threads"):
        async with Container("c1", compute_in=where) as container:

            async def call(at=container):
                await at.compute(abs, 1)  # what is left is the call

            await cost(call, 200)
            calls = [await cost(call, 200, time.perf_counter) for _ in range(ROUNDS)]
        show(
            f"a call of compute in {where}", [1e3 * one for one in calls], "ms", "cores.md, Code that blocks"
        )


# conversations


class Reply(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        if message.performative == "accept-proposal" or message.performative is None:
            await self.reply(message, performative="inform", body="done")
        elif message.performative == "cfp":
            await self.reply(message, performative="propose", body="1")


class Plain(Agent):
    @responds(Request)
    def request(self, message):
        return "done"

    @responds(QueryRef)
    async def query(self, message):
        return "done"

    @responds(RequestWhen)
    async def request_when(self, message):
        await asyncio.sleep(0)
        return "done"

    @responds(ContractNet)
    def bid(self, call):
        answer = yield Propose("1")
        if answer.performative == "accept-proposal":
            yield "done"


class Asynchronous(Agent):
    @responds(ContractNet)
    async def bid(self, call):
        answer = yield Propose("1")
        if answer.performative == "accept-proposal":
            yield "done"


class Meter(OneShotBehaviour):
    """Measures within an agent, where conversations begin; `ways` returns what is done in which way."""

    def __init__(self, ways, times):
        super().__init__()
        self.ways, self.times = ways, times

    async def run(self):
        bare, ways = self.ways(self)
        for way in (bare, *ways.values()):  # warm up
            await cost(way, 1 + self.times // 5)
        found = {name: [] for name in ways}
        for _ in range(ROUNDS):
            plain = await cost(bare, self.times)
            for name, way in ways.items():
                found[name].append(await cost(way, self.times) / plain)
        for name, values in found.items():
            show(name, values, "times", "protocols.md, What it costs")


async def measure_among(kind, many, ways, times):
    """Measure in an agent beside some of a kind, which answer plain messages, too."""
    async with Container("c1") as container:
        agents = [kind(f"agent-{number}") for number in range(many)]
        for agent in agents:
            agent.add_behaviour(Reply())
            await container.start(agent)
        meter, measure = Agent("meter"), Meter(lambda own: ways(own, [one.address for one in agents]), times)
        meter.add_behaviour(measure)
        await container.start(meter)
        await measure.join()


def ways_to_ask(own, partners):
    (partner,) = partners

    async def bare():
        await own.send(Message(to=partner, body="do it"))
        await own.receive()

    return bare, {
        "ask": lambda: own.ask(Message(to=partner, body="do it")),
        "request, plain function": lambda: own.request(partner, "do it"),
        "request with timeout=": lambda: own.request(partner, "do it", timeout=60),
        "request, async def": lambda: own.query_ref(partner, "do it"),
        "request, async def that waits": lambda: own.request_when(partner, "do it"),
    }


def ways_to_call(own, partners):
    async def bare():
        for bidder in partners:
            await own.send(Message(to=bidder, body="a task", performative="cfp"))
        bids = [await own.receive() for _ in partners]
        await own.reply(bids[0], performative="accept-proposal", body="a task")
        await own.receive()
        for bid in bids[1:]:
            await own.reply(bid, performative="reject-proposal")

    async def net():
        async with own.contract_net(partners, "a task") as net:
            bids = [bid async for bid in net.bids]
            await net.award(bids[0])

    return bare, {"contract net": net}


async def conversations():
    await measure_among(Plain, 1, ways_to_ask, REQUESTS)
    for kind in (Plain, Asynchronous):
        print(f"with {kind.__name__.lower()} generators of {BIDDERS} bidders:")
        await measure_among(kind, BIDDERS, ways_to_call, max(1, REQUESTS // BIDDERS))


FIGURES = {one.__name__: one for one in (search, compute, conversations)}


def main(names):
    if unknown := [name for name in names if name not in FIGURES]:
        sys.exit(f"there is no figure {unknown[0]!r}: choose of {', '.join(FIGURES)}")
    load = f"{os.getloadavg()[0]:.1f} before"
    for name in names or FIGURES:
        asyncio.run(FIGURES[name]())
    where = f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}"
    print(f"Formicary {version('formicary')}, {where}, {os.cpu_count()} cores")
    print(f"load {load}, {os.getloadavg()[0]:.1f} after; medians of {ROUNDS} rounds (lowest to highest)")


if __name__ == "__main__":
    main(sys.argv[1:])
