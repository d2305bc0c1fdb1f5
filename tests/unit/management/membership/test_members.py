"""What a container does about members besides what its state machine says."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from formicary.management.membership.exchange import List
from formicary.management.membership.members import CHANNEL, Members

C1, C2, C3, C4 = (f"c{number}.lab.localhost" for number in (1, 2, 3, 4))


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
@pytest.mark.parametrize("tells", [True, False])
async def test_who_opens_waits_for_the_list_and_for_all_on_it_and_says_who_has_not_answered(caplog, tells):
    members, told = Members(C2, C1, Transport()), set()
    members.start()
    knows = asyncio.create_task(members.get_acquainted(told.__contains__))
    await asyncio.sleep(1)
    members.opened(C1)
    news = List(1, (1, 1, 1), (0, 0, 0), {C1: 1, C2: members.incarnation, C3: 3, C4: 4})
    members.on_control(C1, CHANNEL, msgspec.msgpack.encode(news))
    told |= {C1, C3}
    members.ended(C4)  # nobody is there
    await asyncio.sleep(1)
    assert not knows.done()
    if tells:
        members.opened(C3)
        await asyncio.sleep(1)
        assert knows.done()
    await knows
    sentence = (
        "the services and groups of c3 did not arrive within 10 s; they will be found here once they do"
    )
    warnings = [f"container c2 is open but does not know the whole platform yet: {sentence}"]
    assert caplog.messages == ([] if tells else warnings)
    members.close()


@pytest.mark.virtual_clock
async def test_who_opens_waits_for_no_platform_that_is_not_there():
    members = Members(C2, C1, Transport())
    members.start()
    knows = asyncio.create_task(members.get_acquainted(lambda _: False))
    await asyncio.sleep(1)
    members.ended(C1)
    await asyncio.sleep(1)
    assert knows.done()
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
