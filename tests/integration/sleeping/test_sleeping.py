"""Agents that sleep in a file, and what wakes them."""

from __future__ import annotations

import asyncio
import gc
import re
import sqlite3
from datetime import timedelta

import pytest
from tests.integration.sleeping.sleepy import Sender, Sleepy, SleepyMicro
from tests.unit.groups.crew import joined

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, MicroAgent, Services
from formicary.core.clock import now
from formicary.errors import (
    ManagementError,
    MoveError,
    NameTakenError,
    StoreError,
    UnknownAgentError,
    UsageError,
)
from formicary.sleeping import alarm, journal, waker
from formicary.sleeping.store import SleeperStore
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


def resident(container, name):
    return container.dispatcher.agents.get(f"{name}@{container.domain}")


async def asleep(container, *names):
    for _ in range(10_000):
        if container.dispatcher.sleepers is not None and all(
            resident(container, name) is None for name in names
        ):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("they do not fall asleep")


async def awake(container, name):
    for _ in range(10_000):
        if agent := resident(container, name):
            return agent
        await asyncio.sleep(0.01)
    raise AssertionError("it does not wake")


async def write(container, to, *bodies, name="bob"):
    agent = Agent(name)
    agent.add_behaviour(Sender([Message(to, body=body) for body in bodies]))
    await container.start(agent)
    return agent


class Large(MicroAgent):
    data: bytes = b"x" * 1000

    def handle(self, message):
        del message


async def test_a_message_wakes_an_agent_which_has_all_that_it_had():
    async with Container("c1") as container:
        await container.start(Sleepy("alice"))
        await write(container, "alice", "one", "two")
        await asleep(container, "alice")
        assert container.dispatcher.sleepers.count == 1
        await write(container, "alice", "three", "four", "five", name="carol")
        alice = await awake(container, "alice")
        await asyncio.sleep(0.1)
        assert alice.data.words == ["one", "two", "three", "four", "five"]
        await asleep(container, "alice")
        assert container.dead_letters.total == 0


@pytest.mark.parametrize("until", [{"timeout": 5}, {"deadline": timedelta(seconds=5)}])
async def test_its_time_wakes_an_agent(until):
    async with Container("c1") as container:
        alice, micro = Agent("alice"), SleepyMicro("micro")
        for agent in (alice, micro):
            await container.start(agent)
            if "deadline" in until:
                until = {"deadline": now() + timedelta(seconds=5)}
            await agent.deactivate(**until)
        assert container.agents == ()
        await asyncio.sleep(4.5)
        assert container.agents == ()
        await asyncio.sleep(1)
        await awake(container, "alice")
        await awake(container, "micro")
        assert container.dispatcher.sleepers.count == 0


async def test_many_wake_at_once_by_messages_and_by_their_time(monkeypatch):
    monkeypatch.setattr(waker, "_BATCH", 20)
    monkeypatch.setattr(alarm, "_AT_ONCE", 50)
    usual = gc.get_threshold()
    async with Container("c1") as container:
        for number in range(300):
            await container.start(SleepyMicro(f"micro{number}"))
        await asyncio.gather(*(agent.deactivate(5) for agent in container.agents))
        assert container.agents == ()
        await asyncio.sleep(4.9)
        for number in range(0, 300, 2):
            container.dispatcher.send_nowait(
                Message(f"micro{number}@{container.domain}", sender=f"bob@{container.domain}")
            )
        assert len(container.dispatcher.sleepers._waker._tasks) == waker._AT_ONCE
        assert gc.get_threshold() == (5000, *usual[1:])
        await asyncio.sleep(1)
        for number in range(300):
            await awake(container, f"micro{number}")
        await until_idle()
        woken = {agent.name: agent.data for agent in container.agents}
        assert woken == {f"micro{number}": 1 - number % 2 for number in range(300)}
        assert container.dispatcher.sleepers.count == 0
        assert container.dispatcher.sleepers._waker._tasks == set()
        assert gc.get_threshold() == usual


async def test_where_a_container_closes_while_many_wake_the_garbage_collector_is_as_before(monkeypatch):
    monkeypatch.setattr(waker, "_BATCH", 20)
    usual = gc.get_threshold()
    async with Container("c1") as container:
        for number in range(100):
            await container.start(SleepyMicro(f"micro{number}"))
        await asyncio.gather(*(agent.deactivate() for agent in container.agents))
        for number in range(100):
            container.dispatcher.send_nowait(
                Message(f"micro{number}@{container.domain}", sender=f"bob@{container.domain}")
            )
        assert gc.get_threshold() != usual
    assert gc.get_threshold() == usual


async def test_of_large_agents_that_wake_at_once_few_are_read_at_a_time(monkeypatch):
    monkeypatch.setattr(journal, "_BATCH_BYTES", 4000)
    read = []

    def snapshots(store, names, most):
        found = plain(store, names, most)
        read.append(len(found))
        return found

    plain = SleeperStore.snapshots
    monkeypatch.setattr(SleeperStore, "snapshots", snapshots)
    async with Container("c1") as container:
        for number in range(10):
            await container.start(Large(f"large{number}"))
        await asyncio.gather(*(agent.deactivate(5) for agent in container.agents))
        await write(container, "large3", "one")
        await asyncio.sleep(6)
        assert sorted(agent.name for agent in container.agents if agent.name != "bob") == [
            f"large{number}" for number in range(10)
        ]
        assert sum(read) == 10
        assert max(read) == 4
        assert container.dispatcher.sleepers.count == 0
        assert container.dead_letters.total == 0


async def test_who_has_messages_does_not_sleep():
    async with Container("c1") as container:
        alice = Sleepy("alice")
        await container.start(alice)
        alice.suspend()
        await write(container, "alice", "one")
        await until_idle()
        await alice.deactivate()
        assert resident(container, "alice") is alice
        assert alice.state is AgentState.SUSPENDED
        alice.resume()
        await asyncio.sleep(0.1)
        assert alice.data.words == ["one"]


async def test_its_name_stays_taken_and_it_can_be_killed_and_woken():
    async with joined("c1", "c2") as (c1, c2, _):
        for name in ("alice", "carol"):
            agent = Sleepy(name)
            await c1.start(agent)
            await agent.directory.register("printer", name)
        await asleep(c1, "alice", "carol")
        with pytest.raises(
            NameTakenError, match=r"^agent 'alice' is asleep in container c1; choose another name"
        ):
            await c1.start(Agent("alice"))
        assert len(await c2.directory.search(type="printer")) == 2
        joining = asyncio.create_task(agent.join())
        await c2.management.kill("carol@c1")
        await joining
        assert [each.name for each in await c2.directory.search(type="printer")] == ["alice"]
        await c1.start(Agent("carol"))
        await c2.management.activate("alice@c1")
        assert resident(c1, "alice").state is AgentState.ACTIVE
        with pytest.raises(UnknownAgentError):
            await c2.management.activate("alice@c1")
        await c2.management.deactivate("carol@c1", 60)
        assert resident(c1, "carol") is None
        with pytest.raises(
            ManagementError, match=r"^agent carol@c1\.lab\.localhost is asleep; wake it first"
        ):
            await c2.management.deactivate("carol@c1", 60)


async def test_who_sleeps_does_not_move_until_it_has_woken():
    async with joined("c1", "c2", accepts=["tests"]) as (c1, c2, _):
        await c1.start(Sleepy("alice"))
        await asleep(c1, "alice")
        says = r"^agent alice@c1\.lab\.localhost is asleep; wake it first, with a message or with `activate`$"
        for asking in (c1, c2):
            with pytest.raises(MoveError, match=says):
                await asking.management.move("alice@c1", "c2")
            with pytest.raises(MoveError, match=says):
                await asking.management.clone("alice@c1", "c2", "bob")
        waking = asyncio.create_task(c1.management.activate("alice"))
        await asyncio.sleep(0)
        assert not c1.dispatcher.sleepers.is_asleep("alice@c1.lab.localhost")
        with pytest.raises(MoveError, match=says):
            await c1.management.move("alice", "c2")
        await waking
        await c1.management.move("alice", "c2")
        assert [agent.name for agent in c2.agents] == ["alice"]


async def test_the_white_pages_show_who_sleeps():
    async with joined("c1", "c2") as (c1, c2, _):
        for name in ("alice", "anna", "bob"):
            await c1.start(Sleepy(name))
        await c1.start(Agent("alfred"))
        await asleep(c1, "alice", "anna", "bob")
        found = await c2.management.list_agents("a*", container="c1")
        assert sorted((each.name.partition("@")[0], each.state.value, each.behaviours) for each in found) == [
            ("alfred", "active", 0), ("alice", "deactivated", 1), ("anna", "deactivated", 1)]  # fmt: skip
        found = await c2.management.list_agents("*@c1", state="deactivated")
        assert sorted(each.name.partition("@")[0] for each in found) == ["alice", "anna", "bob"]
        assert (await c2.management.find("bob@c1")).state is AgentState.DEACTIVATED
        assert await c2.management.list_agents("a?", state="deactivated") == ()


async def test_sleepers_are_there_again_after_a_restart(tmp_path):
    network = MemoryNetwork()
    path = tmp_path / "sleepers.sqlite"
    async with Container("c2", server=network, services=Services(main="c2")) as c2:
        async with Container("c1", server=network, services=Services(main="c2", sleepers=path)) as c1:
            await until_idle()
            for name, seconds in (("alice", None), ("carol", 600.0)):
                agent = Sleepy(name, seconds)
                await c1.start(agent)
                await agent.directory.register("printer", name)
                await agent.groups.create(f"of {name}")
            await write(c1, "alice", "one")
            await asleep(c1, "alice", "carol")
        await asyncio.sleep(60)
        assert await c2.directory.search(type="printer") == ()
        async with Container("c1", server=network, services=Services(main="c2", sleepers=path)) as c1:
            await asyncio.sleep(1)
            assert c1.agents == ()
            found = await c2.directory.search(type="printer")
            assert sorted(each.name for each in found) == ["alice", "carol"]
            await write(c2, "alice@c1", "two")
            alice = await awake(c1, "alice")
            await asyncio.sleep(0.1)
            assert alice.data.words == ["one", "two"]
            assert await alice.groups.agents("of alice") == (alice.address,)
            await asyncio.sleep(600)
            await asleep(c1, "alice")
            assert c1.dispatcher.sleepers.count == 2  # who has woken and heard nothing sleeps again
            await c1.management.kill("alice")
            await asyncio.sleep(1)
            found = await c2.directory.search(type="printer")
            assert [each.name for each in found] == ["carol"]


async def test_a_container_is_joined_until_nobody_sleeps():
    async with Container("c1") as container:
        await container.start(Sleepy("alice", 10.0))
        await asleep(container, "alice")
        joining = asyncio.create_task(container.wait_until_finished())
        await asyncio.sleep(1)
        assert not joining.done()
        await container.management.kill("alice")
        await joining


@pytest.mark.parametrize("given", ["soon", True, b"message", [3], float("nan"), timedelta(seconds=3)])
@pytest.mark.parametrize("argument", ["timeout", "deadline"])
async def test_what_is_no_time_is_refused(argument, given):
    async with Container("c1") as container:
        alice = Agent("alice")
        await container.start(alice)
        sentence = rf"^{argument}= must be a .*, such as .*, not {re.escape(repr(given))}$"
        with pytest.raises(UsageError, match=sentence):
            await alice.deactivate(**{argument: given})
        with pytest.raises(UsageError, match=sentence):
            await container.management.deactivate("alice", **{argument: given})
        assert container.agents == (alice,)


async def test_who_cannot_be_written_goes_on(tmp_path, monkeypatch):
    async with Container("c1", services=Services(sleepers=tmp_path / "sleepers.sqlite")) as container:
        alice = Sleepy("alice")
        alice.file = object()
        await container.start(alice)
        with pytest.raises(
            MoveError, match=r"^agent alice cannot sleep: its attribute `file` is not carried"
        ):
            await alice.deactivate()
        del alice.file
        store = container.dispatcher.sleepers._store
        store._writing.execute("PRAGMA query_only = ON")
        with pytest.raises(
            MoveError, match=r"^agent alice cannot sleep: .*sleepers.sqlite cannot be written"
        ):
            await alice.deactivate()
        assert resident(container, "alice") is alice
        await write(container, "alice", "one")
        await asyncio.sleep(0.2)
        assert alice.data.words == ["one"]
        store._writing.execute("PRAGMA query_only = OFF")
        await alice.deactivate()


async def test_a_broken_row_is_said_once_for_each_message_and_stays(tmp_path, caplog):
    path = tmp_path / "sleepers.sqlite"
    async with Container("c1", services=Services(sleepers=path)) as container:
        await container.start(Sleepy("alice", 5.0))
        await asleep(container, "alice")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE sleepers SET snapshot = x'00'")
    connection.close()
    async with Container("c1", services=Services(sleepers=path)) as container:
        await asyncio.sleep(10)
        assert [each.message for each in caplog.records] == [
            "agent alice cannot be woken: what arrived is not an agent: Expected `array`, got `int`"
        ]
        bob = await write(container, "alice", "one")
        await asyncio.sleep(1)
        letter = next(each for each in container.dead_letters if each.receiver == "alice@c1.lab.localhost")
        assert letter.reason.startswith("agent alice cannot be woken: ")
        with pytest.raises(MoveError, match=r"^agent alice cannot be woken"):
            await container.management.activate("alice")
        assert bob.failures == 0
        assert container.dispatcher.sleepers.count == 1


async def test_a_file_that_cannot_be_used_is_refused(tmp_path):
    path = tmp_path / "sleepers.sqlite"
    async with Container("c1", services=Services(sleepers=path)):
        with pytest.raises(StoreError, match=r"sleepers.sqlite is in use by another container"):
            await Container("c1", services=Services(sleepers=path)).open()
    with pytest.raises(
        StoreError, match=r"has the sleeping agents of c1.lab.localhost, not of c2.lab.localhost"
    ):
        await Container("c2", services=Services(sleepers=path)).open()
    with pytest.raises(StoreError, match="cannot be opened"):
        await Container("c1", services=Services(sleepers=tmp_path / "none" / "sleepers.sqlite")).open()
    path.write_bytes(b"no database, but long enough to be looked at" * 100)
    with pytest.raises(StoreError, match="is not a file of sleeping agents, or it is corrupt"):
        await Container("c1", services=Services(sleepers=path)).open()


class Insists(CyclicBehaviour):
    """Has its agent sleep without a pause, though a message is there that nobody receives."""

    go = asyncio.Event()

    async def run(self):
        await self.go.wait()
        while True:
            self.agent.data += 1
            await self.agent.deactivate()


class Counts(Agent):
    data: int = 0


async def test_who_wants_to_sleep_again_and_again_though_a_message_is_there_leaves_turns_to_others():
    async with Container("c1") as container:
        alice = Counts("alice")
        await container.start(alice)
        alice.add_behaviour(Insists())
        await write(container, "alice", "one")
        await container.platform_services.sleeping.open()
        await asyncio.sleep(1)
        Insists.go.set()
        for _ in range(1000):
            if alice.data > 50:
                break
            await asyncio.sleep(0)
        assert alice.data > 50
        await alice.stop()


async def test_who_sleeps_for_some_seconds_wakes_though_the_clock_was_set_back():
    async with Container("c1") as container:
        await container.start(Sleepy("alice", 1.0))
        await asleep(container, "alice")
        alice = await awake(container, "alice")
        clock = container.platform_services.sleeping._alarm
        clock._since = (now().timestamp() + 1000, "alice")
        await asleep(container, "alice")
        assert await awake(container, "alice") is not alice
