"""Synchronous mode: what is done in which cycle, who is waited for, and that it is the same each time."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from tests.unit.core.agents import Collect, do, reasons, start

from formicary import (
    Agent,
    Container,
    CyclicBehaviour,
    Limits,
    Message,
    MicroAgent,
    PeriodicBehaviour,
    ThreadBehaviour,
    TimeoutBehaviour,
)
from formicary.compute.pool import Pool
from formicary.core.cycles import PATIENCE
from formicary.core.errors import UsageError
from formicary.testing import run_virtual, until_idle


def synchronous(**options):
    return Container("c1", mode="synchronous", seed=7, **options)


async def until(condition):
    while not condition():  # noqa: ASYNC110 -- what is looked at tells nobody
        await asyncio.sleep(0.001)


def noting(log, name):
    """Make a behaviour that notes in which cycle it receives each message."""

    async def note(behaviour):
        while True:
            message = await behaviour.receive()
            log.append((name, message.body, behaviour.agent.container.scheduler.cycle))

    return do(note)


class Count(CyclicBehaviour):
    """Never waits, and notes the cycle of each run, up to ten."""

    def __init__(self, log, name):
        super().__init__()
        self.log = log
        self.name = name

    async def run(self):
        self.log.append((self.name, self.agent.container.scheduler.cycle))
        if len(self.log) >= 10:
            self.kill()


@pytest.mark.virtual_clock
async def test_all_do_one_run_before_any_does_its_next():
    log = []
    async with synchronous() as container:
        for name in "abc":
            await start(container, name, Count(log, name))
        await until_idle()
    assert log == [(name, cycle) for cycle in (1, 2, 3) for name in "abc"] + [("a", 4), ("b", 4), ("c", 4)]


@pytest.mark.virtual_clock
async def test_a_behaviour_takes_one_message_in_a_cycle_however_many_wait():
    log = []

    async def send(behaviour):
        for body in "123":
            await behaviour.send(Message(to="a", body=body))
            await behaviour.send(Message(to="b", body=body))

    async with synchronous() as container:
        await start(container, "a", noting(log, "a"))
        collects = Collect()
        await start(container, "b", collects)
        await start(container, "c", do(send))
        await until_idle()
    first = log[0][2]
    assert log == [("a", body, first + number) for number, body in enumerate("123")]
    assert collects.bodies == ["1", "2", "3"]


@pytest.mark.virtual_clock
async def test_what_is_sent_in_a_cycle_is_received_in_the_next():
    log = []

    class Pass(CyclicBehaviour):
        async def run(self):
            message = await self.receive()
            log.append(self.agent.container.scheduler.cycle)
            if len(log) < 6:
                await self.reply(message)

    async def serve(behaviour):
        await behaviour.send(Message(to="a", reply_to="b"))

    async with synchronous() as container:
        await start(container, "a", Pass())
        await start(container, "b", Pass())
        await start(container, "c", do(serve))
        await until_idle()
    assert log == list(range(log[0], log[0] + 6))


@pytest.mark.virtual_clock
async def test_a_micro_agent_handles_in_a_cycle_what_had_come_before_it():
    log = []

    class Cell(MicroAgent):
        def handle(self, message):
            log.append((self.name, self._container.scheduler.cycle))
            if len(log) < 8:
                self.send_nowait(Message(to="y" if self.name == "x" else "x"))

    async def send(behaviour):
        await behaviour.send(Message(to="x"))
        await behaviour.send(Message(to="x"))

    async with synchronous() as container:
        await container.start(Cell("x"))
        await container.start(Cell("y"))
        await start(container, "a", do(send))
        await until_idle()
    # Micro-agents have their turn after behaviours, in the same cycle only for what was there when it began.
    first = log[0][1]
    assert log[:8] == [(name, first + n) for n, name in enumerate("xyxy") for _ in range(2)]


@pytest.mark.virtual_clock
async def test_a_micro_agent_that_ends_leaves_the_others_their_messages():
    seen = []

    class Cell(MicroAgent):
        def handle(self, message):
            seen.append((self.name, message.body))
            if message.body == "end":
                self.end_at_once()

    async def send(behaviour):
        for to, body in ("x", "end"), ("x", "late"), ("y", "1"):
            await behaviour.send(Message(to=to, body=body))

    async with synchronous() as container:
        await container.start(Cell("x"))
        await container.start(Cell("y"))
        await start(container, "a", do(send))
        await until_idle()
        assert reasons(container) == ["agent x ended before it handled the message"]
    assert seen == [("x", "end"), ("y", "1")]


# -- who is waited for ---------------------------------------------------------------------------------------


def in_threads(**options):
    return synchronous(compute_in="threads", **options)


async def test_others_wait_for_what_a_behaviour_computes():
    free = threading.Event()
    log = []

    async def compute(behaviour):
        log.append(await behaviour.compute(free.wait, 60))
        log.append(behaviour.agent.container.scheduler.cycle)

    async with in_threads() as container:
        computing = do(compute)
        await start(container, "a", computing)
        await start(container, "b", Count(log, "b"))
        await until(lambda: log)
        await asyncio.sleep(0.02)  # what comes too early would come now
        assert log == [("b", 1)]
        free.set()
        await computing.join()
        assert log[:3] == [("b", 1), True, 1]


async def test_those_who_compute_go_on_in_their_order_whoever_ends_first():
    steps = [threading.Event() for _ in range(3)]
    order = []

    def wait(number):
        assert steps[number].wait(60)
        if number:
            steps[number - 1].set()  # so the last ends first

    async def compute(behaviour, number):
        await behaviour.compute(wait, number)
        order.append(number)

    async with in_threads() as container:
        doing = [do(lambda behaviour, number=number: compute(behaviour, number)) for number in range(3)]
        container._facilities._pool = Pool("c1", "threads", 3)
        for number, each in enumerate(doing):
            await start(container, f"a{number}", each)
        steps[2].set()
        for each in doing:
            await each.join()
    assert order == [0, 1, 2]


async def test_more_compute_than_there_are_workers():
    log = []

    async def compute(behaviour, number):
        log.append(await behaviour.compute(abs, -number))

    async with in_threads() as container:
        container._facilities._pool = Pool("c1", "threads", 1)
        doing = [do(lambda behaviour, number=number: compute(behaviour, number)) for number in range(5)]
        for number, each in enumerate(doing):
            await start(container, f"a{number}", each)
        for each in doing:
            await each.join()
    assert sorted(log) == list(range(5))


async def test_several_functions_of_one_behaviour_are_waited_for():
    free = threading.Event()
    log = []

    async def compute(behaviour):
        log.append(await asyncio.gather(behaviour.compute(abs, -1), behaviour.compute(free.wait, 60)))

    async with in_threads() as container:
        computing = do(compute)
        await start(container, "a", computing)
        await start(container, "b", Count(log, "b"))
        await until(lambda: log)
        await asyncio.sleep(0.01)  # as above
        assert log == [("b", 1)]
        free.set()
        await computing.join()
    assert [1, True] in log


async def test_others_wait_for_a_thread_until_it_receives():
    free = threading.Event()
    log = []

    class Blocks(ThreadBehaviour):
        def run(self):
            free.wait(60)
            log.append("thread")
            while True:
                self.receive()

    async with synchronous() as container:
        await start(container, "a", Blocks())
        await start(container, "b", Count(log, "b"))
        await until(lambda: log)
        await asyncio.sleep(0.01)  # as above
        assert log == [("b", 1)]
        free.set()
        await until(lambda: len(log) >= 10)
    assert log[1] == "thread"


async def test_who_keeps_all_others_waiting_is_named(monkeypatch, caplog):
    monkeypatch.setattr("formicary.core.cycles.PATIENCE", 0.01)
    free = threading.Event()

    async def compute(behaviour):
        await behaviour.compute(free.wait, 60)

    class Blocks(ThreadBehaviour):
        def run(self):
            free.wait(60)

    async with in_threads() as container:
        computing, blocks = do(compute), Blocks()
        await start(container, "a", computing)
        await start(container, "b", blocks)
        await until(lambda: len(caplog.records) >= 2)
        free.set()
        await computing.join()
        await blocks.join()
    said = sorted(record.getMessage() for record in caplog.records)
    assert said[0] == (
        "a/Do has delayed the next cycle of all others for 0.01 s: it is waiting for Event.wait() to "
        "return; pass timeout= to compute()"
    )
    assert said[1].startswith(
        "b/Blocks has delayed the next cycle of all others for 0.01 s: it is waiting for its thread ("
    )
    assert said[1].endswith("), which has to reach `receive` or end")


async def test_who_blocks_the_event_loop_is_named_as_well():
    async def block(behaviour):
        while not behaviour.agent.container.blockers.total:
            time.sleep(0.01)  # noqa: ASYNC251 -- it is the mistake that is made

    async with synchronous() as container:
        blocking = do(block)
        await start(container, "a", blocking)
        await blocking.join()
        assert [each.name for each in container.blockers.most(2)] == ["a/Do"]


async def test_nobody_is_named_who_is_in_time(caplog):
    async with in_threads() as container:
        computing = do(lambda behaviour: behaviour.compute(abs, -1))
        await start(container, "a", computing)
        await computing.join()
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert PATIENCE == 10


async def test_a_killed_one_is_waited_for_no_longer():
    free = threading.Event()

    async def compute(behaviour):
        await behaviour.compute(free.wait, 60)

    async with in_threads() as container:
        computing, collects = do(compute), Collect()
        await start(container, "a", computing)
        await start(container, "b", collects)
        await asyncio.sleep(0.01)
        await start(container, "c", do(lambda behaviour: behaviour.send(Message(to="b", body="x"))))
        await asyncio.sleep(0.01)
        assert not collects.messages
        computing.kill()
        await computing.join()
        await until(lambda: collects.messages)
        free.set()


async def test_a_suspended_one_is_waited_for_no_longer():
    free = threading.Event()
    ended = []

    async def compute(behaviour):
        await behaviour.compute(free.wait, 60)
        ended.append(behaviour.agent.container.scheduler.cycle)

    async with in_threads() as container:
        computing = do(compute)
        agent = await start(container, "a", computing)
        await asyncio.sleep(0.01)
        agent.suspend()
        free.set()
        log = []
        await start(container, "b", Count(log, "b"))
        await until(lambda: len(log) >= 10)
        assert not ended
        agent.resume()
        await computing.join()
        assert ended


async def test_the_container_closes_whoever_computes():
    free = threading.Event()
    collects = Collect()
    async with in_threads() as container:
        await start(container, "a", do(lambda behaviour: behaviour.compute(free.wait, 60)))
        await start(container, "b", collects)
        await asyncio.sleep(0.01)
    assert collects.is_done()
    free.set()


@pytest.mark.virtual_clock
async def test_who_waits_for_time_or_for_others_holds_up_nobody():
    log = []

    class Tick(PeriodicBehaviour):
        async def run(self):
            log.append("tick")
            if log.count("tick") == 3:
                self.kill()

    class Ring(TimeoutBehaviour):
        async def run(self):
            log.append("ring")

    async def lock(behaviour):
        await done.wait()
        log.append("woken")

    async def unlock(behaviour):
        await asyncio.sleep(5)
        done.set()

    done = asyncio.Event()
    async with synchronous() as container:
        behaviours = [Tick(1), Ring(timedelta(seconds=0.5)), do(lock), do(unlock)]
        await start(container, "a", *behaviours)
        for each in behaviours:
            await each.join()
    assert log == ["tick", "ring", "tick", "tick", "woken"]


@pytest.mark.virtual_clock
async def test_a_full_mailbox_holds_up_its_senders_alone():
    collects = Collect()

    async def flood(behaviour):
        for number in range(50):
            await behaviour.send(Message(to="slow", body=str(number)))

    async with synchronous(limits=Limits(mailbox=2)) as container:
        await start(container, "slow", collects)
        await start(container, "fast", do(flood))
        await until_idle()
    assert collects.bodies == [str(number) for number in range(50)]


@pytest.mark.virtual_clock
async def test_timeouts_of_receive_and_tasks_that_receive_work():
    got = []

    async def ask(behaviour):
        got.append(await behaviour.receive(timeout=3))
        got.append(await behaviour.receive(timeout=0))
        got.extend(message.body for message in await asyncio.gather(behaviour.receive(), behaviour.receive()))

    async def answer(behaviour):
        await asyncio.sleep(10)
        await behaviour.send(Message(to="a", body="1"))
        await behaviour.send(Message(to="a", body="2"))

    async with synchronous() as container:
        asking = do(ask)
        await start(container, "a", asking)
        await start(container, "b", do(answer))
        await asking.join()
    assert got == [None, None, "1", "2"]


@pytest.mark.virtual_clock
async def test_agents_start_and_stop_others_from_within():
    async def make(behaviour):
        child = Agent("child")
        child.add_behaviour(Collect())
        await behaviour.agent.container.start(child)
        await child.stop()
        await behaviour.agent.stop()

    async with synchronous() as container:
        await start(container, "a", do(make))
        await container.wait_until_finished()


# -- reproducible --------------------------------------------------------------------------------------------


GOSSIPS = [f"a{number}" for number in range(8)]
ENOUGH = 19  # messages that each of them answers


class Gossip(CyclicBehaviour):
    """Tells a random other of each message it hears, until it has heard enough; computes now and then."""

    def __init__(self, log):
        super().__init__()
        self.log = log
        self.left = ENOUGH

    async def run(self):
        message = await self.receive()
        self.log.append((message.sender, message.to, message.body))
        if not self.left:
            return
        if self.agent.random.random() < 0.2:
            await self.compute(_busily, random.random() / 1000)  # as long as the machine likes
        to = self.agent.random.choice(GOSSIPS)
        await self.send(Message(to=to, body=f"{self.agent.name} {self.left}"))
        self.left -= 1


def _busily(seconds):
    threading.Event().wait(seconds)


def all_is_heard(log):
    """Tell whether each was told to begin, and every message was heard."""
    heard = Counter(to for _, to, _ in log)
    return len(log) == len(GOSSIPS) + sum(min(count, ENOUGH) for count in heard.values())


async def gossip(seed):
    log = []

    async def begin(behaviour):
        for name in GOSSIPS:
            await behaviour.send(Message(to=name, body="begin"))

    async with Container("c1", mode="synchronous", seed=seed, compute_in="threads") as container:
        for name in GOSSIPS:
            await start(container, name, Gossip(log))
        await start(container, "begin", do(begin))  # in one cycle: when agents are started is left to chance
        while not all_is_heard(log):  # noqa: ASYNC110 -- nobody tells it
            await asyncio.sleep(0.01)
    return log


async def test_the_same_seed_gives_the_same_order_of_messages():
    first = await gossip(7)
    assert len(first) > 100
    assert await gossip(7) == first
    assert await gossip(8) != first


# -- what cannot be ------------------------------------------------------------------------------------------


def test_a_mode_that_is_none_is_refused():
    with pytest.raises(
        UsageError, match="mode= must be one of 'asynchronous', 'synchronous', not 'parallel'"
    ):
        Container("c1", mode="parallel")
    with pytest.raises(UsageError, match="a container is one process; for several, use LocalPlatform"):
        Container("c1", mode="pooled")


def test_virtual_time_passes_while_all_wait():
    async def main():
        ring = do(lambda _: asyncio.sleep(3600))
        async with synchronous() as container:
            await start(container, "a", ring)
            await ring.join()

    run_virtual(main())
