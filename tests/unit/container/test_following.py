"""Who follows containers is called when they have opened, and before they close."""

from __future__ import annotations

import pytest

from formicary import Container
from formicary.container.following import following

pytestmark = pytest.mark.virtual_clock


class Follower:
    def __init__(self, error=None):
        self.heard = []
        self.error = error

    async def opened(self, container):
        self.heard.append(("opened", container.name, container.is_open))
        if self.error is not None:
            raise self.error

    async def closing(self, container):
        self.heard.append(("closing", container.name, container.is_open))


async def test_each_container_of_the_block_is_followed_once():
    follower = Follower()
    with following(follower.opened, follower.closing):
        async with Container("c1") as container:
            await container.open()
        await container.close()
    async with Container("c2"):
        pass
    assert follower.heard == [("opened", "c1", True), ("closing", "c1", True)]


async def test_a_container_whose_follower_fails_is_closed():
    follower, container = Follower(OSError("full")), Container("c1")
    with following(follower.opened, follower.closing), pytest.raises(OSError, match="full"):
        await container.open()
    assert not container.is_open
    assert follower.heard == [("opened", "c1", True), ("closing", "c1", True)]
