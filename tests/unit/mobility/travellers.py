"""Agents that tests move, and a hand-over without the protocol: between two containers of one process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import msgspec

from formicary import (
    Agent,
    CyclicBehaviour,
    FSMBehaviour,
    MicroAgent,
    OneShotBehaviour,
    PeriodicBehaviour,
    State,
    TimeoutBehaviour,
)
from formicary.core.base_agent import BaseAgent
from formicary.mobility.kinds import Entrance
from formicary.mobility.quiescence import dissolve, quiesce
from formicary.mobility.snapshot import read_snapshot, restore, take_snapshot
from formicary.mobility.waking import admit, awake

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = "tests.unit.mobility"
"""What containers have to accept."""


@dataclass
class Item:
    name: str
    price: float = 0.0


@dataclass
class Basket:
    items: list[Item] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


class Counter(msgspec.Struct):
    count: int = 0
    bodies: list[str] = []


class Count(CyclicBehaviour):
    """Receives, and carries what it got."""

    data: Counter

    def __init__(self, template=None):
        super().__init__()
        self.template = template
        self.data = Counter()

    async def run(self):
        message = await self.receive()
        self.data.count += 1
        self.data.bodies.append(message.body)


class Idle(CyclicBehaviour):
    """Receives, and has nothing to carry."""

    async def run(self):
        await self.receive()


class Ticks(PeriodicBehaviour):
    data: list[float]

    def __init__(self, period=10.0, start_at=None):
        super().__init__(period, start_at)
        self.data = []

    async def run(self):
        self.data.append(asyncio.get_running_loop().time())


class Alarm(TimeoutBehaviour):
    data: list[float]

    def __init__(self, seconds=10.0):
        super().__init__(timedelta(seconds=seconds))
        self.data = []

    async def run(self):
        self.data.append(asyncio.get_running_loop().time())
        await self.receive()


class Starts(OneShotBehaviour):
    """Counts how often it was started, and how often its run began."""

    data: list[str]

    def __init__(self):
        super().__init__()
        self.data = []

    async def on_start(self):
        self.data.append("on_start")

    async def run(self):
        self.data.append("run")
        await self.receive()
        self.data.append("received")


class Waits(State):
    data: int = 0

    async def run(self):
        self.data += 1
        message = await self.receive()
        self.set_next_state(message.body)


class Machine(FSMBehaviour):
    def __init__(self):
        super().__init__()
        for name in ("red", "green", "blue"):
            self.add_state(name, Waits(), initial=name == "green")
        self.add_transition("green", "blue")
        self.add_transition("blue", "red")


class Shopper(Agent):
    data: Basket
    transient: ClassVar = ("hooks",)

    def __init__(self, name="alice", *behaviours):
        super().__init__(name)
        self.data = Basket()
        self.hooks = []
        for behaviour in behaviours:
            self.add_behaviour(behaviour)

    async def after_move(self, origin):
        self.hooks = [("after_move", origin)]


class Cell(MicroAgent):
    data: list[str]

    def __init__(self, name="alice"):
        super().__init__(name)
        self.data = []

    def handle(self, message):
        self.data.append(message.body)


async def hand_over(agent, source, destination, caller=None, transit=0.0) -> Agent | MicroAgent:
    """Move an agent, which takes some time; messages for it go on from the source to the destination."""
    address, name = agent.address, agent.name
    await quiesce(agent, caller)
    snapshot = read_snapshot(take_snapshot(agent, caller))
    new = restore(snapshot, name, Entrance.of(destination))
    if transit:
        await asyncio.sleep(transit)
    for container in (source, destination):
        container.dispatcher.routes.pop(address, None)
    admit(destination, address)
    unread = dissolve(agent, destination.domain)

    def on(message):
        destination.dispatcher.overflow.deliver(message, address)

    source.dispatcher.routes[address] = on
    destination.dispatcher.held[address].messages.extend(unread.messages)
    hook: Callable | None = None
    if type(new).after_move is not BaseAgent.after_move:
        hook = partial(new.after_move, source.domain)
    assert await awake(new, destination, address, unread.targets, state=snapshot.agent_state, hook=hook)
    return new
