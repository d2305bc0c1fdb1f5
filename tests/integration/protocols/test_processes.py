"""Conversations between the processes of a local platform."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from tests.integration.protocols.crew import Worker

from formicary import LocalPlatform
from formicary.errors import FailedError


async def test_a_contract_net_over_containers_and_a_participant_that_is_killed():
    async with LocalPlatform(containers=2) as platform:
        asker = platform.container
        names = ["a", "ccc", "bb", "dddd"]
        for name in names:
            await platform.start(Worker, name)
        places = {(await asker.request(name, "0", timeout=60)).body: name for name in names}
        assert len(places) == 2, "both take part"
        async with asker.contract_net(names, "it", timeout=60) as net:
            bids = {bid.body: bid async for bid in net.bids}
            assert sorted(bids) == ["1", "2", "3", "4"]
            assert (await net.award(bids["1"])).body.startswith("a in c")
        assert (net.missing, net.refused, net.failed) == ((), {}, {})

        victim = platform.children[1]
        asked = asyncio.create_task(asker.request(places["c2"], "600"))
        await asyncio.sleep(0.1)  # mostly enough for it to be acknowledged, but not on a busy machine
        os.kill(victim.pid, signal.SIGKILL)
        with pytest.raises(FailedError, match=rf"{places['c2']}@c2.* lost|container c2 cannot be reached"):
            await asyncio.wait_for(asked, 60)
        assert not asker.conversations.expected
