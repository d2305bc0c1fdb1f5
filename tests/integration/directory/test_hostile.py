"""Containers that tell others what nobody should, or too much, or nothing."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.integration.directory.agents import names
from tests.integration.transport.raw import RawComponent, until
from tests.unit.core.agents import start

from formicary import Container, Network, Services
from formicary.directory.replicated.exchange import Head, Hello, Part, Updates
from formicary.management.membership.exchange import NONE, Beat, Change, Known, Leave, List, Tell
from formicary.server import ManagedServer
from formicary.transport.link.orders import control_order

pytestmark = pytest.mark.server

EVIL = "evil.lab.localhost"
encode = msgspec.msgpack.encode


@pytest.fixture(scope="module")
def server():
    with ManagedServer() as running:
        yield running


RUBBISH = [
    b"",
    b"\xff" * 10,
    b"\x00" * 100_000,
    b"\x91" * 5000,
    encode([]),
    encode([99, 7]),
    encode([1]),
    encode([1, -7, [0, 0, 0]]),
    encode([1, 7, "no version"]),
    encode([3, 7, [0, 0, 0], {7: 7}]),
    encode([3, 7, 1, [{"agent": "nobody", "type": ""}], []]),
    encode({"kind": 1}),
]


async def alive(raw, container):
    """Wait until the container has taken all that was sent to it."""
    before = container.dispatcher.transport.dropped
    raw.data(b"no batch")
    await until(lambda: container.dispatcher.transport.dropped > before)


@pytest.mark.parametrize("design", ["replica", "central"])
async def test_rubbish_on_any_channel_is_counted_and_changes_nothing(server, design):
    async with (
        Container(
            "c1", server=server.address, network=Network(route="xmpp"), services=Services(directory=design)
        ) as c1,
        RawComponent(server.address, "evil") as evil,
    ):
        bob = await start(c1, "bob")
        await bob.directory.register(type="printer")
        raw = evil.link()
        await raw.open()
        other = "directory" if design == "replica" else "central directory"
        for channel in ("members", other, "management", "design"):
            await alive(raw, c1)
            expected = c1.dispatcher.transport.dropped + len(RUBBISH)
            for payload in RUBBISH:
                raw.data(control_order(channel, payload))
            await until(lambda expected=expected: c1.dispatcher.transport.dropped == expected)
        for channel in ("", "nothing", "x" * 10_000):  # perhaps something that later versions tell
            raw.data(control_order(channel, b"x"))
        await alive(raw, c1)
        assert c1.dispatcher.transport.dropped == expected + 1
        assert set(c1.members) == {c1.domain}
        assert names(await c1.directory.search()) == ["bob@c1/printer"]


async def test_who_is_no_member_replicates_nothing(server):
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        RawComponent(server.address, "evil") as evil,
    ):
        raw = evil.link()
        await raw.open()
        entry = {"agent": f"eve@{EVIL}", "type": "printer"}
        own = c1.members[c1.domain]
        for incarnation in (7, own):
            for payload in (
                Hello(incarnation, own, 7),
                Head(incarnation, 7),
                Updates(incarnation, 1, [entry], []),
                Part(incarnation, own, 1, 0, 1, is_last=True, put=[entry]),
            ):
                raw.data(control_order("directory", encode(payload)))
        await alive(raw, c1)
        assert await c1.directory.search() == ()
        raw.data(control_order("members", encode(Beat(7, NONE))))
        await until(lambda: EVIL in c1.members)
        raw.data(control_order("directory", encode(Updates(8, 1, [entry], []))))
        raw.data(control_order("directory", encode(Updates(7, 2, [entry], []))))
        await alive(raw, c1)
        assert await c1.directory.search() == ()
        raw.data(control_order("directory", encode(Updates(7, 1, [entry], []))))
        await alive(raw, c1)
        assert names(await c1.directory.search()) == ["eve@evil/printer"]
        raw.data(control_order("members", encode(Leave(7))))
        await until(lambda: EVIL not in c1.members)
        assert await c1.directory.search() == ()


async def test_a_member_cannot_replicate_entries_of_agents_of_another(server):
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        RawComponent(server.address, "evil") as evil,
    ):
        bob = await start(c1, "bob")
        await bob.directory.register(type="printer")
        raw = evil.link()
        await raw.open()
        raw.data(control_order("members", encode(Beat(7, NONE))))
        await until(lambda: EVIL in c1.members)
        entry = {"agent": bob.address, "type": "scanner", "name": "printer"}
        outside = {"agent": "bob@c1.example.org", "type": "scanner"}
        before = c1.dispatcher.transport.dropped
        raw.data(control_order("directory", encode(Updates(7, 1, [entry], []))))  # as if it came
        raw.data(control_order("directory", encode(Updates(7, 2, [outside], []))))
        await until(lambda: c1.dispatcher.transport.dropped == before + 1)
        assert names(await c1.directory.search(type="printer")) == ["bob@c1/printer"]
        assert await c1.directory.search(type="scanner") == ()


async def test_only_the_platforms_container_says_who_is_a_member(server):
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        Container("c2", server=server.address, network=Network(route="xmpp")) as c2,
        RawComponent(server.address, "evil") as evil,
    ):
        await until(lambda: len(c1.members) == len(c2.members) == 2)
        before = dict(c2.members)
        raw = evil.link(to=c2.domain)
        await raw.open()
        high = (1 << 52, 1 << 52, 1)
        for news in (
            List(7, high, high, {EVIL: 7}),
            Change(7, high, c1.domain, None),
            Tell(7),
            Leave(7),
            Known(7, high, {EVIL: 7}),
        ):
            raw.data(control_order("members", encode(news)))
        await alive(raw, c2)
        assert c2.members == before


async def test_who_takes_nothing_costs_a_bounded_amount_of_memory(server):
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        RawComponent(server.address, "evil") as evil,
    ):
        raw = evil.link()
        await raw.open()  # and never acknowledges anything
        raw.data(control_order("members", encode(Beat(7, NONE))))
        await until(lambda: EVIL in c1.members)
        bob = await start(c1, "bob")
        waiting = []
        for number in range(5000):
            await bob.directory.register(type="printer", name=f"p{number}", properties={"text": "x" * 1000})
            await asyncio.sleep(0)
            (status,) = (status for status in c1.links if status.peer == EVIL)
            waiting.append(status.unacknowledged)
        assert 1000 < max(waiting) <= 2048
        assert c1._facilities.services.backend._replica._own._log_bytes <= 1 << 20
