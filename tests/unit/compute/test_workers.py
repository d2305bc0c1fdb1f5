"""Workers in threads; those in processes are in the tests of the pool."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
import threading

import pytest

from formicary.compute.workers import InterpreterWorker, ProcessWorker, ThreadWorker
from formicary.errors import ComputeError


async def test_a_thread_runs_one_function_after_the_other_and_ends():
    worker = ThreadWorker()
    await worker.start()
    assert (await worker.run(max, (1, 2)))() == 2
    fails = await worker.run(int, ("seven",))
    with pytest.raises(ValueError, match="seven"):
        fails()
    assert worker.is_alive()
    assert (await worker.run(threading.current_thread, ()))().daemon
    assert worker.end() == "its thread keeps running, because threads cannot be stopped"
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


class ExecutionFailed(Exception):  # noqa: N818 -- as Python calls it
    """The cause of an exception raised by the function."""


class Interpreters(concurrent.futures.ThreadPoolExecutor):
    """Stands in for the executor that Python has from 3.14 on."""

    def submit(self, function, /, *arguments):
        return super().submit(self.call, function, arguments)

    def call(self, function, arguments):
        if function is print:
            raise ValueError("module print does not support loading in subinterpreters")
        try:
            return function(*arguments)
        except Exception as error:
            raise error from ExecutionFailed()


async def test_an_interpreter_knows_the_path_and_tells_apart_who_has_failed(monkeypatch):
    monkeypatch.setattr(concurrent.futures, "InterpreterPoolExecutor", Interpreters, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    worker = InterpreterWorker()
    await worker.start()
    assert (await worker.run(max, (1, 2)))() == 2
    fails = await worker.run(int, ("seven",))
    with pytest.raises(ValueError, match="seven"):
        fails()
    fails = await worker.run(print, ())
    with pytest.raises(ComputeError, match=r"print\(\) cannot be sent .* does not support loading"):
        fails()
    with pytest.raises(ComputeError, match="a lambda"):
        await worker.run(lambda: 1, ())
    assert worker.is_alive()
    assert worker.end() == "its interpreter keeps running, because it cannot be stopped"
    await worker.gone()
    assert not worker.is_alive()


async def test_a_python_without_interpreters_says_so(monkeypatch):
    monkeypatch.setattr(concurrent.futures, "InterpreterPoolExecutor", None, raising=False)
    with pytest.raises(ComputeError, match="this Python has no interpreters for `compute`: use"):
        await InterpreterWorker().start()


async def test_a_program_that_is_in_no_file_is_told_so(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "<stdin>", raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    with pytest.raises(
        ComputeError, match=r"which is not in a file \(<stdin>\): save it to one, or compute in"
    ):
        await ProcessWorker().start()
