"""The synchronous mode over containers in processes of their own."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from tests.integration.local.crew import Cell, Gossip, Slow
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Do

from formicary import Agent, LocalPlatform, Message
from formicary.errors import UsageError

COUNT = 6  # agents
ENOUGH = 12  # messages that each of them answers


async def start(platform, name, behaviour):
    agent = Agent(name)
    agent.add_behaviour(behaviour)
    await platform.container.start(agent)


def heard(folder):
    """Return what each agent has heard: in which cycle after the first message, from whom, and what."""
    lines = {path.name: [line.split() for line in path.read_text().splitlines()] for path in folder.iterdir()}
    first = min((int(line[0]) for said in lines.values() for line in said), default=0)
    return {name: [(int(cycle) - first, *rest) for cycle, *rest in said] for name, said in lines.items()}


def are_silent(folder):
    """Tell whether each of them was told to go, and every message was heard."""
    counts = [len(said) for said in heard(folder).values()]
    return len(counts) == COUNT and sum(counts) == COUNT + sum(min(count, ENOUGH) for count in counts)


async def gossip(folder, seed):
    """Have agents of two containers talk until each has heard enough; return what they heard."""
    folder.mkdir()
    arguments = {"folder": str(folder), "count": COUNT, "enough": ENOUGH}

    async def say_go(behaviour):
        for number in range(COUNT):
            await behaviour.send(Message(to=f"a{number}", body="go"))

    async with LocalPlatform(2, mode="synchronous", seed=seed) as platform:
        for number in range(COUNT):
            await platform.start(Gossip, f"a{number}", arguments)
        await start(platform, "go", Do(say_go))  # in one cycle: when agents are started is left to chance
        await until(lambda: are_silent(folder))
    return heard(folder)


async def test_the_same_seed_gives_the_same_messages_in_the_same_cycles(tmp_path):
    first = await gossip(tmp_path / "first", 7)
    assert sum(map(len, first.values())) > 3 * COUNT
    assert await gossip(tmp_path / "second", 7) == first
    assert await gossip(tmp_path / "third", 8) != first


async def test_all_containers_wait_for_who_computes_in_one_of_them(tmp_path):
    collects = Collect()

    async def send(behaviour):
        for body in "123":
            await behaviour.send(Message(to="collect", body=body))

    async with LocalPlatform(1, mode="synchronous", compute_in="threads") as platform:
        sign = tmp_path / "sign"
        await platform.start(Slow, "slow", {"sign": str(sign)})
        await until((tmp_path / "sign.begun").exists)
        await start(platform, "collect", collects)
        await start(platform, "send", Do(send))
        await asyncio.sleep(0.1)
        assert not collects.messages
        sign.touch()
        await until(lambda: collects.bodies == ["1", "2", "3"])


async def test_a_container_that_is_killed_is_waited_for_by_nobody(tmp_path):
    collects = Collect()
    async with LocalPlatform(2, mode="synchronous", compute_in="threads") as platform:
        await platform.start(Slow, "slow", {"sign": str(tmp_path / "sign")}, on="c1")
        await platform.start(Cell, "cell", on="c2")
        await until((tmp_path / "sign.begun").exists)
        await start(platform, "collect", collects)
        await start(
            platform, "ask", Do(lambda behaviour: behaviour.send(Message(to="cell", reply_to="collect")))
        )
        await asyncio.sleep(0.1)
        assert not collects.messages
        os.kill(platform.children[0].pid, signal.SIGKILL)
        await until(lambda: collects.messages)


async def test_it_is_said_which_container_all_wait_for(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("formicary.local.cycles.PATIENCE", 0.05)
    async with LocalPlatform(1, mode="synchronous", compute_in="threads") as platform:
        await platform.start(Slow, "slow", {"sign": str(tmp_path / "sign")})
        await until((tmp_path / "sign.begun").exists)
        await start(platform, "send", Do(lambda behaviour: behaviour.send(Message(to="slow"))))
        expected = "all containers are waiting for container c1, which has not finished cycle "
        await until(lambda: expected in caplog.text)  # a busy machine may have had more to say before
        (tmp_path / "sign").touch()


async def test_the_platform_ends_in_the_midst_of_a_cycle(tmp_path):
    async with LocalPlatform(2, mode="synchronous", compute_in="threads") as platform:
        await platform.start(Slow, "slow", {"sign": str(tmp_path / "sign")})
        await until((tmp_path / "sign.begun").exists)
        (tmp_path / "sign").touch()


def test_a_mode_that_is_none_is_refused():
    with pytest.raises(UsageError, match="mode must be 'pooled' or 'synchronous', not 'parallel'"):
        LocalPlatform(1, mode="parallel")
