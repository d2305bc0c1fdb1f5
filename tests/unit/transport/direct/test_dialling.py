"""Dialling those who are not there yet, or no more."""

from __future__ import annotations

import asyncio

import pytest

from formicary.errors import LinkError
from formicary.transport.addresses import JoinAddress
from formicary.transport.direct import Offer
from formicary.transport.direct.dialling import Dialling

pytestmark = pytest.mark.virtual_clock

HUB = "c1.lab.localhost"
OFFER = Offer(host="h", unix=None, tcp=(), tls=True, certificate=b"", key=bytes(32))
ADDRESS = JoinAddress(host="h", unix=None, tcp=(), tls=True, domain=HUB, fingerprint=bytes(32), key=bytes(32))


class Away:
    """Stands for `DirectEndpoint`: nobody is there until a moment."""

    def __init__(self, until):
        self.until = until
        self.tries = 0

    async def dial(self, domain, offer):
        self.tries += 1
        if asyncio.get_running_loop().time() < self.until:
            raise LinkError("nobody listens there")
        return domain


async def found(offer, *, away, is_cut):
    """Return how long after it is there it is found, and how often it was dialled."""
    loop = asyncio.get_running_loop()
    back = loop.time() + away
    connected = loop.create_future()
    direct = Away(back)
    dialling = Dialling(direct, connected.set_result, lambda *_: None, is_cut=lambda _: is_cut())
    dialling.remember(HUB, offer)
    dialling.begin(HUB, is_first=True, again=True)
    assert await connected == HUB
    late = loop.time() - back
    await dialling.close()
    return late, direct.tries


@pytest.mark.parametrize("away", [0.5, 4.0, 5.5, 60.0, 600.3])
@pytest.mark.parametrize(("offer", "is_cut"), [(ADDRESS, False), (OFFER, True)])
async def test_one_without_whom_nothing_goes_is_found_within_a_second_of_its_return(offer, is_cut, away):
    late, tries = await found(offer, away=away, is_cut=lambda: is_cut)
    assert late <= 1
    assert tries < 10 + 2 * away


async def test_others_are_dialled_ever_more_seldom():
    _, tries = await found(OFFER, away=600.0, is_cut=lambda: False)
    assert tries < 60


async def test_one_who_is_dialled_seldom_is_dialled_soon_when_the_other_path_is_lost():
    loop = asyncio.get_running_loop()
    lost_at = loop.time() + 95.0
    late, tries = await found(OFFER, away=100.0, is_cut=lambda: loop.time() > lost_at)
    assert late <= 1
    assert tries < 40
