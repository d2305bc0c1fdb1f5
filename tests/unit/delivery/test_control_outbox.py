"""Control messages that the transport does not take at once."""

from __future__ import annotations

import asyncio
from collections import defaultdict

import pytest

from formicary.delivery.control_outbox import ControlOutbox

pytestmark = pytest.mark.virtual_clock


class World:
    """An outbox, what there is to send, and a transport that takes so many messages for each container."""

    def __init__(self, *, behind=False):
        self.due, self.room, self.sent = defaultdict(list), {}, []
        self.outbox = ControlOutbox(self, "channel", self.write, behind=behind)

    def write(self, domain):
        return self.due.pop(domain, [])

    def send_control(self, domain, channel, payload, *, behind=False):
        if not self.room.get(domain, 100):
            return False
        self.room[domain] = self.room.get(domain, 100) - 1
        self.sent.append((domain, channel, payload, behind))
        return True

    @property
    def payloads(self):
        return [(domain, payload) for domain, _, payload, _ in self.sent]


@pytest.mark.parametrize("behind", [False, True])
async def test_what_the_transport_takes_is_sent_at_once(behind):
    world = World(behind=behind)
    world.due["a"] = [b"1", b"2"]
    world.outbox.send("a", "b")
    assert world.sent == [("a", "channel", b"1", behind), ("a", "channel", b"2", behind)]


async def test_what_it_does_not_take_is_sent_later_in_order_before_what_was_written_since():
    world = World()
    world.due["a"], world.room["a"] = [b"1", b"2", b"3"], 1
    world.outbox.send("a")
    world.due["a"] = [b"4"]
    world.outbox.send("a")
    await asyncio.sleep(1)
    assert world.payloads == [("a", b"1")]
    world.room["a"] = 100
    await asyncio.sleep(1)
    assert world.payloads == [("a", payload) for payload in (b"1", b"2", b"3", b"4")]


async def test_no_more_is_written_while_something_waits():
    world = World()
    world.due["a"], world.room["a"] = [b"1"], 0
    world.outbox.send("a")
    world.due["a"] = [b"2"]
    for _ in range(10):
        world.outbox.send("a")
    assert world.due["a"] == [b"2"]


async def test_one_container_does_not_hold_up_another():
    world = World()
    world.due["a"], world.due["b"], world.room["a"] = [b"1"], [b"2"], 0
    world.outbox.send("a", "b")
    assert world.payloads == [("b", b"2")]


@pytest.mark.parametrize("end", ["forget", "close"])
async def test_what_is_forgotten_is_not_sent(end):
    world = World()
    world.due["a"], world.room["a"] = [b"1"], 0
    world.outbox.send("a")
    world.outbox.forget("a") if end == "forget" else world.outbox.close()
    world.room["a"] = 100
    await asyncio.sleep(1)
    assert world.sent == []
