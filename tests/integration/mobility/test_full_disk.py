"""Agents come to a container that keeps the central directory in a file, and has no room for it."""

from __future__ import annotations

import asyncio

import pytest
from tests.integration.mobility.travellers import HERE, Plain, agent_in

from formicary import Container, Services
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


async def test_an_agent_comes_and_is_found_though_the_directory_cannot_write_that(tmp_path, caplog):
    network = MemoryNetwork()
    options = {"server": network, "accepts": [HERE]}
    path = tmp_path / "directory.sqlite"
    async with (
        Container("c1", services=Services(directory="central", directory_file=path), **options) as c1,
        Container("c2", services=Services(directory="central"), **options) as c2,
    ):
        await asyncio.sleep(1)
        await c2.start(alice := Plain("alice"))
        await alice.directory.register("printer")
        ledger = c1.platform_services.backend._directory_agent.ledger
        connection = ledger._journal._store._connection
        connection.execute("PRAGMA query_only = ON")  # as on a disk that takes no more
        await alice.move("c1")
        await asyncio.sleep(20)
        assert agent_in(c1, "alice").address == alice.address
        assert c2.agents == ()
        [complaint] = [
            each.getMessage() for each in caplog.records if "cannot tell the directory" in each.getMessage()
        ]
        assert f"{path} cannot be written; make it writable, or choose another file" in complaint
        for container in (c1, c2):
            [found] = await container.directory.search(type="printer")
            assert found.agent == alice.address
        connection.execute("PRAGMA query_only = OFF")
        await asyncio.sleep(20)
        await until_idle()
        assert ledger.visitors == {alice.address: c1.domain}
        await agent_in(c1, "alice").stop()
        await asyncio.sleep(20)
        assert await c2.directory.search(type="printer") == ()
