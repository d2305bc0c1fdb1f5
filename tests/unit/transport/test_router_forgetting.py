"""Hundreds of others come and go: what a container knows of them goes, too, and what is late does no harm."""

from __future__ import annotations

import asyncio
import gc
import itertools

import pytest
from tests.unit.core.agents import Collect, do, reasons, start

from formicary import Container, Message
from formicary.container.options import ConnectionOptions
from formicary.transport.link.frames import encode
from formicary.transport.link.header import DATA, HELLO, SessionParameters
from formicary.transport.link.instructions import DeliveryOutcome, Transmit
from formicary.transport.link.session import Session, State
from formicary.transport.router import Router

pytestmark = pytest.mark.virtual_clock

_numbers = itertools.count(1)


class Peer:
    """Another container, which is no more than its end of a link, a millisecond away."""

    def __init__(self, hub, name):
        self.hub = hub
        self.domain = f"{name}.lab.localhost"
        self.session = Session(lambda: next(_numbers) * 2_654_435_761 % (1 << 32), SessionParameters())
        self.session.use_path(self.now)
        self.batches = []
        self.sent = []
        self.is_there = True

    @property
    def now(self):
        return asyncio.get_running_loop().time()

    def receive(self, frame):
        if self.is_there:
            batch = self.session.receive(frame, self.now)
            if batch is not None:
                self.batches.append(bytes(batch))
            self.perform()

    def perform(self):
        for instruction in self.session.take_instructions():
            if isinstance(instruction, Transmit):
                self.transmit(instruction.frame)

    def transmit(self, frame):
        self.sent.append(frame)
        asyncio.get_running_loop().call_later(0.001, self.hub.router.on_frame, self.domain, frame)

    async def open(self):
        self.session.connect(self.now)
        self.perform()
        await self.ticks(0.1)
        assert self.session.is_open

    def write(self, body="x", receiver="got"):
        frame = self.session.send(encode([(receiver, "someone", body, None, None)]), body)
        if frame is not None:
            self.transmit(frame)

    def close(self):
        self.session.close()
        self.perform()

    async def ticks(self, seconds):
        for _ in range(round(seconds / 0.05)):
            await asyncio.sleep(0.05)
            self.session.tick(self.now)
            self.perform()


class Way:
    """The path to a peer."""

    kind = "memory"
    is_up = has_room = True

    def __init__(self, hub, domain):
        self._hub = hub
        self._domain = domain

    def send(self, frame):
        peer = self._hub.peers.get(self._domain)
        if peer is not None:
            asyncio.get_running_loop().call_later(0.001, peer.receive, frame)

    def trouble(self):
        return "which has none"


class Hub:
    """A container whose router reaches peers in memory."""

    def __init__(self):
        self.peers = {}
        self.container = Container("c1")
        self.router = Router(None, ConnectionOptions())

    async def __aenter__(self):
        await self.container.__aenter__()
        self.router.container = self.container
        self.router._indirect_path = lambda link: Way(self, link.domain)
        self.container.dispatcher.transport = self.router
        self.got = Collect()
        await start(self.container, "got", self.got)
        return self

    async def __aexit__(self, *details):
        await self.container.__aexit__(*details)

    def peer(self, name):
        peer = self.peers[f"{name}.lab.localhost"] = Peer(self, name)
        return peer

    def forget_peers(self):
        self.peers.clear()


async def come_and_go(hub, number):
    """Have one come that goes in one way or another."""
    peer = hub.peer(f"guest-{number}")
    if number % 4 == 0:  # a stranger, who only says hello
        peer.session.connect(peer.now)
        peer.perform()
        peer.is_there = False
        return
    await peer.open()
    peer.write()
    await peer.ticks(0.2)
    if number % 4 == 1:
        peer.close()
        await peer.ticks(0.2)
        assert peer.session.state is State.CLOSED
    elif number % 4 == 2:  # it vanishes, and something is sent to it
        peer.is_there = False
        message = Message(to=f"bob@{peer.domain}", body="late")
        await start(hub.container, f"sender-{number}", do(lambda own: own.send(message)))
    else:
        peer.session.end("it wants no more")
        peer.session.abandon("it wants no more")


def counted():
    gc.collect()
    return len(gc.get_objects())


async def test_of_hundreds_who_came_and_went_nothing_is_left():
    async with Hub() as hub:
        await asyncio.gather(*(come_and_go(hub, number) for number in range(20)))
        for agent in list(hub.container.agents)[1:]:
            await agent.stop()
        await asyncio.sleep(600)
        hub.forget_peers()
        hub.got.messages.clear()
        assert not hub.router.links
        before = counted()
        for first in range(0, 400, 100):
            await asyncio.gather(*(come_and_go(hub, 100 + first + number) for number in range(100)))
        assert len(hub.router.links) == 400
        assert len(hub.got.messages) == 300
        await asyncio.sleep(600)
        for agent in list(hub.container.agents)[1:]:
            await agent.stop()
        assert len(reasons(hub.container)) >= 100
        hub.forget_peers()
        hub.got.messages.clear()
        assert not hub.router.links
        assert counted() - before < 4000  # of which dead letters are most


async def test_what_is_late_from_a_session_that_is_forgotten_changes_nothing():
    async with Hub() as hub:
        peer = hub.peer("c2")
        await peer.open()
        for body in "abc":
            peer.write(body)
        await peer.ticks(0.2)
        peer.close()
        await peer.ticks(0.2)
        await asyncio.sleep(200)
        assert not hub.router.links
        for frame in peer.sent:
            hub.router.on_frame(peer.domain, frame)
        await asyncio.sleep(1)
        assert hub.got.bodies == ["a", "b", "c"]
        assert not next(iter(hub.router.links.values())).session.is_open
        again = hub.peer("c2")
        await again.open()
        for frame in peer.sent:
            if frame[0] in {HELLO, DATA}:
                hub.router.on_frame(peer.domain, frame)
        again.write("d")
        await again.ticks(0.5)
        assert hub.got.bodies == ["a", "b", "c", "d"]
        assert not again.session.unacknowledged


async def test_what_was_taken_is_said_as_long_as_the_other_may_ask():
    async with Hub() as hub:
        peer = hub.peer("c2")
        await peer.open()
        await peer.ticks(0.2)
        peer.is_there = False
        for body in "ab":
            peer.write(body)  # these are taken, and it does not learn of it
        link = hub.router.links[peer.domain]
        await asyncio.sleep(1)
        link.session.end("it is given up")
        link._perform()
        await asyncio.sleep(100)
        peer.is_there = True
        failed = []
        peer.perform = lambda: None
        peer.session.tick(peer.now)
        peer.session._detector.start(peer.now, peer.now)  # as one whose process stood still
        for _ in range(20):
            await asyncio.sleep(0.1)
            peer.session.tick(peer.now)
            failed += [one for one in peer.session.instructions if hasattr(one, "items")]
            Peer.perform(peer)
        assert hub.got.bodies == ["a", "b"]
        assert all(one.outcome is DeliveryOutcome.DELIVERED for one in failed)


async def test_a_link_that_is_used_is_not_forgotten():
    async with Hub() as hub:
        peer = hub.peer("c2")
        await peer.open()
        for _ in range(100):
            await peer.ticks(10)
        assert hub.router.links[peer.domain].session.is_open
