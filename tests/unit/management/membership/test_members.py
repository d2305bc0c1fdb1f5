"""What a container does about members besides what its state machine says."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from formicary.management.membership.exchange import List
from formicary.management.membership.members import CHANNEL, Members

C1, C2, C3 = (f"c{number}.lab.localhost" for number in (1, 2, 3))


class Transport:
    """Knows whom it was to look for."""

    def __init__(self):
        self.sought = []

    def connect(self, domain):
        self.sought.append(domain)

    def send_control(self, domain, channel, payload):
        return domain == C1


class Listener:
    channel = "test"

    def joined(self, domain, incarnation):
        pass

    def lost(self, domain):
        pass


@pytest.mark.virtual_clock
async def test_members_without_a_link_are_looked_for_again_and_again():
    transport = Transport()
    members = Members(C2, C1, transport)
    members.listen(Listener())
    members.opened(C1)
    members.start()
    listed = {C1: 1, C2: members.incarnation, C3: 3}
    news = List(incarnation=1, version=(1, 1, 1), basis=(0, 0, 0), members=listed)
    members.on_control(C1, CHANNEL, msgspec.msgpack.encode(news))
    assert set(members.all) == set(listed)
    assert transport.sought == [C3]
    await asyncio.sleep(25)
    assert transport.sought == [C3, C3, C3]
    members.opened(C3)
    await asyncio.sleep(25)
    assert transport.sought == [C3, C3, C3]
    members.close()


@pytest.mark.virtual_clock
async def test_a_link_that_begins_anew_has_ended():
    members, ended = Members(C2, C1, Transport()), []
    members.on_end.append(ended.append)
    members.opened(C1)
    assert ended == []
    members.opened(C1)
    assert ended == [C1]
    members.ended(C1)
    members.opened(C1)
    assert ended == [C1, C1]
