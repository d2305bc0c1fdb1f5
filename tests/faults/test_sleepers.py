"""A container is killed while its agents wake: each still sleeps, or ended with the container."""

from __future__ import annotations

from typing import ClassVar

import pytest
from tests.faults.scene import LOOPBACK
from tests.faults.side import Side, until
from tests.faults.worker import Setting

from formicary import Agent, Container, CyclicBehaviour, Message
from formicary.delivery.dead_letters import is_failure

AGENTS = 3000
_PATIENCE = 60.0  # s


class Bedroom(Side):
    """A worker of agents that sleep."""

    program: ClassVar = "tests.faults.dreamer"


class Learning(CyclicBehaviour):
    """Notes the receivers of failed messages."""

    def __init__(self):
        super().__init__()
        self.failed = []

    async def run(self):
        message = await self.receive()
        assert is_failure(message)
        self.failed.append(int(message.in_reply_to))


async def write(agent, numbers, body):
    """Write to agents by their numbers, as fast as possible; failures name the receiver."""
    for number in numbers:
        await agent.behaviours[0].send(Message(to=f"a{number}@c1", body=body, reply_with=str(number)))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
async def test_a_container_is_killed_while_its_agents_wake(share, tmp_path):
    async with Container("c0", listen=LOOPBACK) as c0:
        options = {"join": c0.join_address, "services": {"sleepers": str(tmp_path / "sleepers.sqlite")}}
        setting = Setting("c1", "c0", str(tmp_path / "c1.ledger"), options, AGENTS, 2, 0.0, 0)
        side = Bedroom(setting, tmp_path)
        writer = Agent("writer")
        writer.add_behaviour(learning := Learning())
        await c0.start(writer)
        try:
            await side.start()
            assert (await side.order("populate"))["awake"] == 0
            got = side.ledger.incoming

            def received(number):
                return {index for index in range(AGENTS) if got[2 * index + number]}

            await write(writer, range(AGENTS), "0")
            assert await until(lambda: len(received(0)) >= max(1, share * AGENTS), _PATIENCE)
            await side.kill()
            assert await until(lambda: len(received(0) | {*learning.failed}) == AGENTS, _PATIENCE)
            assert len(learning.failed) == len({*learning.failed})
            heard = received(0)

            await side.start()
            asleep = {*(await side.order("who sleeps"))["agents"]}
            assert not asleep & heard  # who has begun was out of the file before
            dead = {*range(AGENTS)} - heard - asleep
            assert asleep | dead <= {*learning.failed}

            await write(writer, sorted(asleep), "1")
            assert await until(lambda: received(1) == asleep, _PATIENCE)
            assert max(got) == 1
            assert received(0) == heard
            assert (await side.order("who sleeps"))["agents"] == []
            await side.close()
            assert side.complaints() == []
        finally:
            await side.end()
