"""What waits for full mailboxes is bounded by number, and by what it holds."""

from __future__ import annotations

import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import Deaf, start

from formicary import Container, Message
from formicary.container import overflow as module


@pytest.mark.virtual_clock
async def test_nothing_more_is_to_come_in_where_few_large_messages_wait(monkeypatch):
    monkeypatch.setattr(module, "_LIMIT_BYTES", 1000)
    said = []
    async with Container("c1", mailbox_limit=1, send_timeout=10) as c1:
        await start(c1, "deaf", Deaf())
        overflow = c1.dispatcher.overflow
        overflow.pause = said.append
        for _ in range(4):  # the first finds room
            assert said == []
            overflow.deliver(Message(to="deaf@c1.lab.localhost", body="x" * 400), "deaf@c1.lab.localhost")
        assert said == [True]
        await until(lambda: not overflow.lines)  # they fail
        assert said == [True, False]
