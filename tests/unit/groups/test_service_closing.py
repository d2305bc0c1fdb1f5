"""What becomes of groups when their container ends while something goes on."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.groups.crew import begin, joined

from formicary import Container
from formicary.directory.replicated.directory import ReplicatedDirectory
from formicary.errors import ContainerClosedError, NoSuchGroupError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Watching:
    """A watch of the directory that begins when the test lets it."""

    def __init__(self):
        self.may_begin = asyncio.Event()
        self.begun = 0
        self.closed = 0

    async def begin(self, *_):
        await self.may_begin.wait()
        self.begun += 1
        return self

    async def close(self):
        self.closed += 1


async def test_what_begins_to_watch_while_the_container_ends_is_ended_with_it(monkeypatch):
    watching = Watching()
    monkeypatch.setattr(ReplicatedDirectory, "watch", watching.begin)
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        asked = [asyncio.create_task(alice.groups.communities()) for _ in range(2)]
        await until_idle()
    watching.may_begin.set()
    for outcome in await asyncio.gather(*asked, return_exceptions=True):
        assert isinstance(outcome, ContainerClosedError)
    assert (watching.begun, watching.closed) == (1, 1)


async def test_a_container_whose_end_is_cancelled_ends_all_of_its_parts(monkeypatch):
    async with joined("c1", "c2") as (c1, c2, _):
        (bob,) = await begin(c2, "bob")
        await bob.groups.communities()
        services = c2._facilities.services

        async def hang():
            await asyncio.Event().wait()

        monkeypatch.setattr(services._groups._distributor, "stop", hang)
        subscription = bob.directory.subscribe(type="printer")
        await subscription.__aenter__()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await services.close()
        monkeypatch.undo()
        assert services._members._timer.cancelled()
        assert services.backend._timer.cancelled()
        assert not services.backend.open_subscriptions
        await until_idle()
        assert c2.domain not in c1.members


async def test_nobody_is_alone_in_a_group_that_ended_while_its_gatekeeper_decided():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")

        async def decide(agent, role, pass_key):
            await alice.groups.leave("club")
            return True

        await alice.groups.create("club", gatekeeper=decide)
        with pytest.raises(NoSuchGroupError, match="ended while its gatekeeper was deciding"):
            await bob.groups.request_role("club", "guest")
        assert await bob.groups.groups() == ()
