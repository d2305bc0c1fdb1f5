"""Who is there, as a container's own parts are told it: `Members` between a transport and its listeners."""

from __future__ import annotations

import asyncio

import pytest

from formicary.errors import LinkError
from formicary.fipa.control_codec import encode
from formicary.management.membership.exchange import NONE, Beat, Leave, List, decode
from formicary.management.membership.machine import BEAT
from formicary.management.membership.members import CHANNEL, Members

pytestmark = pytest.mark.virtual_clock

C1, C2, C3 = (f"c{number}.lab.localhost" for number in (1, 2, 3))


class Transport:
    """Keeps what is told; where no link is open, nothing can be."""

    def __init__(self):
        self.links = set()
        self.controls = []  # (domain, news)
        self.looked_for = []
        self.unreachable = set()

    def send_control(self, domain, channel, payload):
        assert channel == CHANNEL
        if domain in self.links:
            self.controls.append((domain, decode(payload)))
        return domain in self.links

    def connect(self, domain):
        self.looked_for.append(domain)
        if domain in self.unreachable:
            raise LinkError("there are links to too many others")


class Listener:
    """Keeps what it learns."""

    def __init__(self, channel="directory"):
        self.channel = channel
        self.learnt = []

    def joined(self, domain, incarnation):
        self.learnt.append(("joined", domain, incarnation))

    def lost(self, domain):
        self.learnt.append(("lost", domain))

    def on_control(self, domain, payload):
        self.learnt.append(("told", domain, payload))


class World:
    """Members of one container, c1 or another, whose link to others the test opens and ends."""

    def __init__(self, domain=C1):
        self.transport = Transport()
        self.members = Members(domain, C1, self.transport)
        self.listener = Listener()

    def open(self, domain):
        self.transport.links.add(domain)
        self.members.opened(domain)

    def end(self, domain):
        self.transport.links.discard(domain)
        self.members.ended(domain)

    def hear(self, domain, news):
        self.members.on_control(domain, CHANNEL, encode(news))

    def said_to(self, domain):
        return [news for to, news in self.transport.controls if to == domain]

    async def __aenter__(self):
        self.members.listen(self.listener)
        self.members.start()
        return self

    async def __aexit__(self, *_):
        self.members.close()


async def test_a_listener_learns_of_members_that_it_can_tell_things():
    async with World() as world:
        world.open(C2)
        assert world.listener.learnt == []  # it may be a guest's
        world.hear(C2, Beat(7, NONE))
        assert world.listener.learnt == [("joined", C2, 7)]
        assert world.members.all == {C1: world.members.incarnation, C2: 7}
        world.end(C2)
        assert world.listener.learnt[1:] == [("lost", C2)]
        assert list(world.members.all) == [C1]


async def test_a_listener_that_comes_later_learns_of_those_with_an_open_link():
    async with World(C2) as world:
        world.open(C1)
        world.hear(C1, List(5, (5, 5, 1), NONE, {C1: 5, C2: world.members.incarnation, C3: 6}))
        late = Listener("groups")
        world.members.listen(late)
        assert late.learnt == [("joined", C1, 5)]
        assert world.transport.looked_for[-1] == C3
        world.open(C3)
        assert late.learnt[1:] == world.listener.learnt[1:] == [("joined", C3, 6)]


async def test_a_listener_learns_of_a_member_again_with_each_new_link():
    async with World(C2) as world:
        world.open(C1)
        world.hear(C1, List(5, (5, 5, 1), NONE, {C1: 5, C2: world.members.incarnation}))
        world.open(C1)  # what was told before may be lost
        assert world.listener.learnt == [("joined", C1, 5), ("joined", C1, 5)]


async def test_what_is_told_goes_to_who_listens_on_the_channel():
    async with World() as world:
        other = Listener("groups")
        world.members.listen(other)
        world.members.on_control(C2, "groups", b"a")
        world.members.on_control(C2, "directory", b"b")
        world.members.on_control(C2, "weather", b"c")  # of a later version, say
        assert other.learnt == [("told", C2, b"a")]
        assert world.listener.learnt == [("told", C2, b"b")]


async def test_news_that_are_none_are_refused():
    async with World() as world:
        with pytest.raises(ValueError, match="not news of members"):
            world.members.on_control(C2, CHANNEL, b"\xff")
        assert list(world.members.all) == [C1]


async def test_where_no_link_is_open_one_is_looked_for():
    async with World(C2) as world:
        assert world.transport.looked_for == [C1]
        await asyncio.sleep(BEAT + 1)
        assert world.transport.looked_for == [C1, C1]
        world.open(C1)
        await asyncio.sleep(BEAT + 1)
        assert world.transport.looked_for == [C1, C1]
        assert {type(news) for news in world.said_to(C1)} == {Beat}


async def test_one_that_cannot_be_looked_for_keeps_no_sign_of_life_from_the_others(caplog):
    async with World() as world:
        for domain in (C2, C3):
            world.open(domain)
            world.hear(domain, Beat(7, NONE))
        world.transport.links.discard(C2)  # and it is not known yet
        world.transport.unreachable.add(C2)
        world.transport.controls.clear()
        await asyncio.sleep(BEAT + 1)
        assert C2 in world.transport.looked_for
        assert [type(news) for news in world.said_to(C3)] == [Beat]
        assert "too many others" in caplog.text


async def test_the_end_of_each_link_is_said_also_of_a_guests():
    async with World() as world:
        ended = []
        world.members.on_end = ended.append
        world.open(C2)
        world.end(C2)
        assert ended == [C2]
        assert world.listener.learnt == []


async def test_others_are_told_of_the_end_and_the_clock_stands_still():
    async with World(C2) as world:
        world.open(C1)
    assert type(world.said_to(C1)[-1]) is Leave
    said = len(world.transport.controls)
    await asyncio.sleep(10 * BEAT)
    assert len(world.transport.controls) == said


async def test_one_that_has_never_begun_tells_nobody_of_its_end():
    world = World(C2)
    world.open(C1)
    world.transport.controls.clear()
    world.members.close()
    assert world.transport.controls == []
    assert world.transport.looked_for == []


async def test_who_is_superseded_says_so_in_its_log(caplog):
    async with World(C2) as world:
        world.open(C1)
        later = world.members.incarnation + 1
        world.hear(C1, List(5, (5, 5, 1), NONE, {C1: 5, C2: later}))
        assert f"another container has taken the name {C2}" in caplog.text
