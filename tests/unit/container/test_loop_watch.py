"""Who blocks the event loop is seen from another thread, and named."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path

import pytest

from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.container import loop_watch
from formicary.container.loop_watch import LOOP_WATCH, LoopWatch, _Looking, _Times, _Watched
from formicary.core.blockers import Blockers
from formicary.observe.metrics import measure

pytestmark = pytest.mark.skipif(not loop_watch._SEES_FRAMES, reason="without the lock, no frames are seen")


class Blocks(OneShotBehaviour):
    async def run(self):
        blockers = self.agent.container.blockers
        while not blockers.total:
            pass


class BlocksPart(MicroAgent):
    def handle(self, message):
        while not self.container.blockers.total:
            pass


class Waits(CyclicBehaviour):
    async def run(self):
        await self.receive()


def agent(name, behaviour):
    made = Agent(name)
    made.add_behaviour(behaviour)
    return made


def watchers():
    return [thread for thread in threading.enumerate() if thread.name == "watches event loops"]


async def test_a_behaviour_is_named_with_its_place(caplog):
    async with Container("c1") as container:
        blocks = Blocks()
        await container.start(agent("jam", blocks))
        await blocks.join()
        (found,) = container.blockers.most(5)
        assert (found.name, found.times) == ("jam/Blocks", 1)
        assert found.where.startswith("test_loop_watch.py:")
        assert found.where.endswith(", in run")
        assert found.longest_s >= 0.1
        figures = measure(container)
        assert (figures.blocked, figures.blockers[0].name) == (1, "jam/Blocks")
    assert "jam/Blocks blocked the event loop of container c1" in caplog.text


async def test_so_is_the_handler_of_a_micro_agent():
    async with Container("c1") as container:
        await container.start(BlocksPart("cell"))
        waits = Agent("asks")
        await container.start(waits)
        waits._stamped(Message(to="cell"))
        container.dispatcher.send_nowait(Message(to="cell", sender=waits.address))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        (found,) = container.blockers.most(5)
        assert found.name == "cell/handle"
        assert found.where.endswith(", in handle")


async def test_so_is_what_is_no_agent_where_agents_wait_for_it():
    async with Container("c1") as container:
        await container.start(agent("idle", Waits()))
        await asyncio.sleep(0)
        container.agents[0].container.dispatcher.send_nowait(
            Message(to="idle", sender=container.agents[0].address)
        )
        while not container.blockers.total:
            pass
        (found,) = container.blockers.most(5)
        assert "test_so_is_what_is_no_agent" in found.where


async def test_the_thread_is_there_from_the_first_turn_until_the_last_container_closes():
    before = watchers()
    async with Container("c1") as container:
        assert watchers() == before
        async with Container("c2") as other:
            await other.start(agent("idle", Waits()))
            await asyncio.sleep(0)
            assert len(watchers()) == len(before) + 1
        assert len(watchers()) == len(before) + 1
        await container.start(agent("idle", Waits()))
    assert watchers() == before


async def test_a_container_that_was_forgotten_is_looked_at_no_longer():
    gc.collect()  # what other tests have forgotten
    count = len(LOOP_WATCH.watched())
    container = await Container("c1").open()
    assert len(LOOP_WATCH.watched()) == count + 1
    container._opening.reminder.detach()
    del container
    gc.collect()
    assert len(LOOP_WATCH.watched()) == count


# -- what is judged ------------------------------------------------------------------------------------------


class Strand:
    def __init__(self, name):
        self.owner = self
        self.strand_name = lambda: name


class Queue:
    """A scheduler, as it is looked at."""

    def __init__(self):
        self.turn = []
        self.awake = True
        self.is_running = True
        self.resumed = self.handled = 0
        self.current = Strand("a/Work")


class Times:
    def __init__(self):
        self.ran = self.waited = 0.0
        self.wants = False

    def passed(self):
        return self.ran, self.waited

    def wants_processor(self):
        return self.wants


@pytest.fixture
def seen(monkeypatch):
    """Return a queue, what it is looked at by, the times of its thread, and who has blocked it."""
    monkeypatch.setattr(loop_watch, "_SEES_FRAMES", False)
    queue, blockers = Queue(), Blockers("c1")
    watched = _Watched(queue, blockers, lambda _: None)
    watched.times.close()
    watched.times = Times()
    return queue, watched, watched.times, blockers


def test_the_same_step_at_looks_that_are_far_enough_apart_blocks(seen):
    _, watched, _, blockers = seen
    assert watched.look(1.0, None)
    watched.look(1.05, None)
    assert blockers.total == 0
    watched.look(1.14, None)
    assert blockers.total == 0
    watched.look(1.16, None)
    watched.look(1.5, None)
    assert [(each.times, round(each.longest_s, 3)) for each in blockers.most(5)] == [(1, 0.45)]


@pytest.mark.parametrize("change", ["turn", "resumed", "current"])
def test_a_loop_that_goes_on_is_not_blocked(seen, change):
    queue, watched, _, blockers = seen
    for number in range(10):
        values = {"turn": [], "resumed": number, "current": Strand(f"a{number}/Work")}
        setattr(queue, change, values[change])
        watched.look(number * 0.06, None)
    assert blockers.total == 0


def test_a_loop_that_has_nothing_to_do_is_idle(seen):
    queue, watched, _, blockers = seen
    watched.look(1.0, None)
    queue.awake, queue.current = False, None
    assert not watched.look(2.0, None)
    assert not watched.look(3.0, None)
    assert blockers.total == 0


def test_a_thread_that_waits_for_a_processor_blocks_nothing(seen):
    _, watched, times, blockers = seen
    times.waited = 0.04
    for number in range(10):
        watched.look(number * 0.05, None)
    assert blockers.total == 0


def test_nor_does_one_that_waits_for_it_still_and_has_not_run_for_long(seen):
    _, watched, times, blockers = seen
    times.wants, times.ran = True, 0.004
    for number in range(10):
        watched.look(number * 0.3, None)
    assert blockers.total == 0
    times.ran = 0.07
    watched.look(3.3, None)
    assert blockers.most(1)[0].longest_s == pytest.approx(0.102)


def test_what_has_run_for_long_blocks_however_long_it_has_waited_before(seen):
    _, watched, times, blockers = seen
    watched.look(1.0, None)
    watched.look(1.05, None)
    times.ran, times.waited = 0.12, 0.5
    watched.look(1.2, None)
    assert blockers.most(1)[0].longest_s == pytest.approx(0.12)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells of a thread")
def test_a_thread_that_runs_wants_a_processor_and_one_that_sleeps_does_not():
    sleeps, native = threading.Event(), []
    thread = threading.Thread(target=lambda: (native.append(threading.get_native_id()), sleeps.wait()))
    thread.start()
    try:
        while not native:
            pass
        other, own = _Times(native[0]), _Times(threading.get_native_id())
        assert own.wants_processor()
        while other.wants_processor():
            pass
        other.close()
        own.close()
        assert not own.wants_processor()
    finally:
        sleeps.set()
        thread.join()


def test_who_keeps_pythons_lock_is_found_at_the_first_look_after_it(seen):
    _, watched, times, blockers = seen
    times.ran = 0.3
    watched.look(1.35, 1.05)
    assert blockers.most(1)[0].longest_s == pytest.approx(0.3)


def test_a_process_that_stood_still_has_blocked_nothing(seen):
    _, watched, _, blockers = seen
    watched.look(1.0, None)
    watched.look(61.0, 1.05)
    watched.look(61.05, None)
    assert blockers.total == 0


def test_who_wakes_the_thread_before_it_sleeps_makes_it_look_once_and_not_without_a_pause(monkeypatch):
    monkeypatch.setattr(loop_watch, "_EVERY", 0.0001)
    looking = _Looking(LoopWatch())
    looking.wakes.set()
    looking._look_until_idle(Times())
    assert not looking.wakes.is_set()
