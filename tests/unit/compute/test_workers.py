"""Workers in threads; those in processes are in the tests of the pool."""

from __future__ import annotations

import asyncio
import threading

import pytest

from formicary.compute.workers import ProcessWorker, ThreadWorker


async def test_a_thread_runs_one_function_after_the_other_and_ends():
    worker = ThreadWorker()
    await worker.start()
    assert (await worker.run(max, (1, 2)))() == 2
    fails = await worker.run(int, ("seven",))
    with pytest.raises(ValueError, match="seven"):
        fails()
    assert worker.is_alive()
    assert (await worker.run(threading.current_thread, ()))().daemon
    assert worker.end() == "its thread goes on, since nobody can end a thread"
    await worker.gone()
    assert not worker.is_alive()


async def test_what_was_cancelled_before_the_thread_came_to_it_is_not_run():
    worker, goes, ran = ThreadWorker(), threading.Event(), []
    first = asyncio.create_task(worker.run(goes.wait, ()))
    second = asyncio.create_task(worker.run(ran.append, (2,)))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.wait([second])
    goes.set()
    assert (await first)() is True
    assert (await worker.run(len, ("abc",)))() == 3
    assert ran == []
    worker.end()


async def test_a_process_that_was_never_started_needs_no_end():
    worker = ProcessWorker()
    assert worker.is_alive()
    worker.end()
    await worker.gone()
    assert not worker.is_alive()
