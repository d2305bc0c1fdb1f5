"""Virtual time: it jumps, it is the same each time, and it never hangs."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from datetime import timedelta

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import Container
from formicary.testing import NothingLeftError, run_virtual, until_idle
from formicary.testing.virtual_clock import STARTS_AT


def now():
    return asyncio.get_running_loop().time()


def test_time_starts_at_zero_and_jumps_exactly_to_the_next_timer():
    async def main():
        times = [now()]
        for pause in (0.1, 0.2, 3600, 86_400 * 400):
            await asyncio.sleep(pause)
            times.append(now())
        return times

    before = time.monotonic()
    times = run_virtual(main())
    assert times[:4] == [0, 0.1, 0.1 + 0.2, (0.1 + 0.2) + 3600]
    assert times[4] == pytest.approx(times[3] + 86_400 * 400, abs=1e-6)
    assert time.monotonic() - before < 3600


def test_the_time_of_day_is_virtual_and_starts_at_a_fixed_date():
    async def main():
        loop = asyncio.get_running_loop()
        begin = loop.wall_clock()
        await asyncio.sleep(90)
        return begin, loop.wall_clock()

    assert run_virtual(main()) == (STARTS_AT, STARTS_AT + timedelta(seconds=90))


def test_timers_of_several_tasks_go_off_in_order():
    async def main():
        seen = []

        async def note(pause):
            await asyncio.sleep(pause)
            seen.append(pause)

        await asyncio.gather(*map(note, (3, 1, 2, 0)))
        return seen

    assert run_virtual(main()) == [0, 1, 2, 3]


def test_a_program_that_nothing_can_wake_ends_with_an_error_that_names_who_waits():
    async def main():
        async with Container("c1") as container:
            await start(container, "listener", Collect())
            await asyncio.get_running_loop().create_future()

    with pytest.raises(NothingLeftError, match=r"^nothing left to run: ") as error:
        run_virtual(main())
    assert "listener/Collect is waiting in Behaviour.main_coroutine" in str(error.value)
    assert "main" in str(error.value)
    assert "test_clock_virtual.py:" in str(error.value)


def test_after_such_an_error_everybody_has_been_cancelled():
    cleaned = []

    async def main():
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(1)
            cleaned.append(True)

    with pytest.raises(NothingLeftError):
        run_virtual(main())
    assert cleaned == [True]


def test_tasks_that_are_left_over_are_cancelled():
    ended = []

    async def left_over():
        try:
            await asyncio.sleep(100)
        finally:
            ended.append(now())

    async def main():
        task = asyncio.create_task(left_over())
        await asyncio.sleep(1)
        return task

    task = run_virtual(main())
    assert task.cancelled()
    assert ended == [1]


def test_exceptions_and_results_come_out_as_from_asyncio_run():
    async def fail():
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        run_virtual(fail())


def test_the_clock_stands_still_while_a_job_runs_in_an_executor():
    async def main():
        started, go = threading.Event(), threading.Event()

        def job():
            started.set()
            assert go.wait(30)
            return "done"

        future = asyncio.get_running_loop().run_in_executor(None, job)
        await asyncio.get_running_loop().run_in_executor(None, started.wait)
        asyncio.get_running_loop().call_soon(go.set)
        async with asyncio.timeout(1):
            return await future, now()

    assert run_virtual(main()) == ("done", 0)


def test_a_job_in_an_executor_is_no_deadlock_and_after_it_there_is_one():
    async def main():
        assert await asyncio.to_thread(lambda: 7) == 7
        await asyncio.get_running_loop().create_future()

    with pytest.raises(NothingLeftError):
        run_virtual(main())


def test_a_socket_may_wake_what_has_no_timer():
    async def main():
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            writer = threading.Timer(0.01, theirs.send, [b"x"])
            writer.start()
            data = await loop.sock_recv(ours, 1)
            writer.join()
            return data

    assert run_virtual(main()) == b"x"


def test_it_runs_in_no_other_loop():
    async def main():
        run_virtual(asyncio.sleep(0))

    with pytest.raises(RuntimeError, match="running event loop"):
        asyncio.run(main())


@pytest.mark.virtual_clock
async def test_until_idle_waits_for_all_that_is_ready_and_no_time_passes():
    async def count_down(behaviour):
        for number in range(1000):
            await asyncio.sleep(0)
            behaviour.set("number", number)
        await asyncio.sleep(5)
        behaviour.set("number", "late")

    async with Container("c1") as container:
        agent = await start(container, "counter", do(count_down))
        await until_idle()
        assert (agent.get("number"), now()) == (999, 0)
        await asyncio.sleep(6)
        assert agent.get("number") == "late"


@pytest.mark.virtual_clock
async def test_until_idle_waits_for_threads():
    done = []
    task = asyncio.create_task(asyncio.to_thread(lambda: done.append(1)))
    await until_idle()
    assert done == [1]
    await task


@pytest.mark.virtual_clock
async def test_several_wait_until_idle_together_and_may_be_cancelled():
    async with asyncio.TaskGroup() as group:
        group.create_task(until_idle())
        group.create_task(until_idle())
        cancelled = group.create_task(until_idle())
        await asyncio.sleep(0)
        cancelled.cancel()
    await until_idle()
    assert cancelled.cancelled()


async def test_until_idle_says_where_it_works():
    with pytest.raises(RuntimeError, match="run_virtual"):
        await until_idle()
