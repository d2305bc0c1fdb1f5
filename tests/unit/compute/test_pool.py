"""Who gets which worker, and who waits."""

from __future__ import annotations

import asyncio

import pytest

from formicary.compute import pool as module
from formicary.compute.pool import Pool
from formicary.compute.workers import ProcessWorker, ThreadWorker
from formicary.errors import ComputeError, ContainerClosedError


class Worker:
    """A worker whose functions return when told to."""

    made = ()

    def __init__(self):
        self.running = None
        self.has_ended = False
        Worker.made += (self,)

    async def start(self):
        """Nothing is to be done."""

    def is_alive(self):
        return not self.has_ended

    async def run(self, function, arguments):
        self.running = asyncio.get_running_loop().create_future()
        value = await self.running
        return lambda: value

    def end(self):
        self.has_ended = True
        return "it was ended"

    async def gone(self):
        """Nothing is left."""


@pytest.fixture
def pool():
    Worker.made = ()
    made = Pool("c1", "threads", 2)
    made._kind = Worker
    return made


async def turns():
    """Let all tasks do what they can do now."""
    for _ in range(10):
        await asyncio.sleep(0)


async def begun(pool, count):
    tasks = [asyncio.create_task(pool.run(print, (number,), None)) for number in range(count)]
    await turns()
    return tasks


async def finish(worker, value):
    worker.running.set_result(value)
    await turns()


async def test_as_many_as_workers_run_and_the_others_wait_in_order(pool):
    tasks = await begun(pool, 4)
    one, two = Worker.made
    await finish(two, "second")
    await finish(two, "third")
    await finish(one, "first")
    await finish(two, "fourth")
    assert [await task for task in tasks] == ["first", "second", "third", "fourth"]
    assert len(Worker.made) == 2


async def test_a_call_cancelled_while_waiting_never_begins(pool):
    tasks = await begun(pool, 4)
    tasks[2].cancel()
    await turns()
    one, two = Worker.made
    await finish(one, "first")
    await finish(one, "fourth")
    await finish(two, "second")
    assert tasks[2].cancelled()
    assert [await tasks[number] for number in (0, 1, 3)] == ["first", "second", "fourth"]


async def test_a_call_cancelled_at_its_turn_passes_the_worker_on(pool):
    tasks = await begun(pool, 4)
    one, two = Worker.made
    one.running.add_done_callback(lambda _: tasks[2].cancel())  # called when the worker has been given away
    await finish(one, "first")
    assert tasks[2].cancelled() or tasks[2].cancelling()
    await finish(one, "next")
    await finish(two, "second")
    for worker in one, two:
        if not worker.running.done():
            await finish(worker, "last")
    assert await tasks[0] == "first"
    assert await tasks[1] == "second"
    assert await tasks[3] in {"next", "last"}


async def test_a_running_function_outlives_its_caller(pool):
    tasks = await begun(pool, 3)
    tasks[0].cancel()
    await turns()
    one, two = Worker.made
    assert not one.has_ended
    await finish(one, "for nobody")
    await finish(one, "third")
    await finish(two, "second")
    assert [await task for task in tasks[1:]] == ["second", "third"]


@pytest.mark.virtual_clock
async def test_time_begins_with_the_function_and_another_worker_takes_the_place(pool):
    pool.size = 1
    first = asyncio.create_task(pool.run(print, (), 10))
    second = asyncio.create_task(pool.run(print, (), 10))
    with pytest.raises(TimeoutError, match=r"^print\(\) has not returned within 10 s: it was ended$"):
        await first
    assert asyncio.get_running_loop().time() == 10
    with pytest.raises(TimeoutError):
        await second
    assert asyncio.get_running_loop().time() == 20
    assert [worker.has_ended for worker in Worker.made[:2]] == [True, True]


async def test_an_idle_worker_that_has_died_is_replaced(pool):
    (task,) = await begun(pool, 1)
    (one,) = Worker.made
    one.running.set_result(1)
    await task
    one.has_ended = True
    (task,) = await begun(pool, 1)
    assert len(Worker.made) == 2
    Worker.made[1].running.set_result(2)
    assert await task == 2


async def test_the_end_tells_all_who_wait(pool):
    tasks = await begun(pool, 3)
    await pool.close()
    for task in tasks:
        with pytest.raises(ContainerClosedError):
            await task
    assert all(worker.has_ended for worker in Worker.made)
    with pytest.raises(ContainerClosedError, match=r"print\(\) did not finish, because container c1"):
        await pool.run(print, (), None)


async def test_the_end_tells_those_who_have_just_got_a_worker(pool):
    (task,) = await begun(pool, 1)
    (one,) = Worker.made
    await finish(one, 1)
    assert await task == 1
    task = asyncio.create_task(pool.run(print, (), None))
    await asyncio.sleep(0)
    await pool.close()
    with pytest.raises(ContainerClosedError):
        await task
    assert one.has_ended


async def test_what_is_no_function_waits_for_nobody(pool):
    with pytest.raises(ComputeError):
        await pool.run("print", (), None)
    assert Worker.made == ()


@pytest.mark.parametrize(
    ("means", "lock", "kind"),
    [
        ("auto", True, ProcessWorker),
        ("auto", False, ThreadWorker),
        ("threads", True, ThreadWorker),
        ("processes", False, ProcessWorker),
    ],
)
def test_processes_are_the_default_under_a_global_lock(monkeypatch, means, lock, kind):
    monkeypatch.setattr(module, "has_lock", lambda: lock)
    assert Pool("c1", means)._kind is kind
    assert Pool("c1", means).size >= 1
