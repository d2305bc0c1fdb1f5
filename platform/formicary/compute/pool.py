"""A container's workers, and the calls that wait for one."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from formicary.compute.functions import check_function, name_of
from formicary.compute.workers import InterpreterWorker, ProcessWorker, ThreadWorker
from formicary.core.errors import ContainerClosedError
from formicary.core.systems import usable_cores
from formicary.core.times import time_limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Context

    from formicary.compute.workers import Worker

Means = Literal["auto", "processes", "threads", "interpreters"]


def has_lock() -> bool:
    """Return whether Python's threads compute one at a time."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


class _Call(NamedTuple):
    """A function that somebody waits for, unless `outcome` was cancelled."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    limit: float | None
    outcome: asyncio.Future[Callable[[], Any]]
    context: Context

    def fail(self, error: Exception) -> None:
        """Raise an error where it is waited for."""
        if not self.outcome.done():
            self.outcome.set_exception(error)


class Pool:
    """The workers of a container, which start when needed and end with it.

    Args:
        container: the container's name.
        means: the kind of workers; `"auto"`: threads if Python has no global lock, otherwise processes.
        size: the most workers; None for the number of processors that this process may use.
    """

    def __init__(self, container: str, means: Means, size: int | None = None) -> None:
        self._container = container
        self._kind: Callable[[], Worker]
        if means == "threads" or (means == "auto" and not has_lock()):
            self._kind = ThreadWorker
        elif means == "interpreters":
            self._kind = InterpreterWorker
        else:
            self._kind = ProcessWorker
        self.size = size or usable_cores()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._line: deque[_Call] = deque()  # those that wait for a worker
        self._running: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def run(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], timeout: float | None
    ) -> Any:
        """Run a function in a worker, now or when one is free; as `Container.compute`."""
        check_function(function)
        limit = time_limit(timeout)
        if self._is_closed:
            raise self._closed_error(function)
        outcome: asyncio.Future[Callable[[], Any]] = asyncio.get_running_loop().create_future()
        call = _Call(function, arguments, limit, outcome, copy_context())
        if (worker := self._free_worker()) is not None:
            self._begin(worker, call)
        else:
            self._line.append(call)
        return (await outcome)()

    def describe(self, function: Callable[..., Any]) -> str:
        """Return what a caller waits for, and what helps, as part of a sentence."""
        return f"{name_of(function)} to return; pass timeout= to compute()"

    def _begin(self, worker: Worker, call: _Call) -> None:
        """Run a call in a worker.

        In a task of its own: the function runs on if the caller is cancelled; and in synchronous mode the
        caller, when it is its turn, may continue only together with those who wait behind it for a worker.
        """
        task = asyncio.get_running_loop().create_task(
            self._run_in(worker, call), name=f"waits for {name_of(call.function)}", context=call.context
        )
        self._running.add(task)
        task.add_done_callback(partial(self._has_run, worker, call))

    def _has_run(self, worker: Worker, call: _Call, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if task.cancelled():  # before it began
            call.fail(self._closed_error(call.function))
            self._give_back(worker)

    async def _run_in(self, worker: Worker, call: _Call) -> None:
        function, outcome = call.function, call.outcome
        try:
            if outcome.done():  # cancelled just now
                return
            await worker.start()
            async with asyncio.timeout(call.limit):
                result = await worker.run(function, call.arguments)
        except TimeoutError:
            how = worker.end()
            sentence = f"{name_of(function)} has not returned within {call.limit:g} s: {how}"
            call.fail(TimeoutError(sentence))
        except asyncio.CancelledError:
            call.fail(self._closed_error(function))
        except Exception as error:  # noqa: BLE001 -- the caller gets it
            call.fail(error)
        else:
            if not outcome.done():
                outcome.set_result(result)
        finally:
            self._give_back(worker)

    def _end(self, worker: Worker) -> str:
        """End a worker, unless it has ended; return what becomes of its function."""
        how = worker.end()
        task = asyncio.get_running_loop().create_task(worker.gone(), name="waits for the end of a worker")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return how

    # -- workers --------------------------------------------------------------------------------------------

    def _free_worker(self) -> Worker | None:
        """Return a worker, if one is free."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive():
                self._busy.add(worker)
                return worker
            self._end(worker)
        if len(self._busy) >= self.size:
            return None
        worker = self._kind()
        self._busy.add(worker)
        return worker

    def _give_back(self, worker: Worker) -> None:
        """Give a worker, or a new one if it has ended, to the next call that waits."""
        self._busy.discard(worker)
        if self._is_closed:
            self._end(worker)
            return
        if not worker.is_alive():
            self._end(worker)
            worker = self._kind()
        while self._line:
            call = self._line.popleft()
            if not call.outcome.done():
                self._busy.add(worker)
                self._begin(worker, call)
                return
        self._idle.append(worker)

    # -- closing --------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """End the workers, even those that are busy; calls that wait for them raise."""
        self._is_closed = True
        while self._line:
            self._line.popleft().fail(ContainerClosedError(f"container {self._container} has closed"))
        for task in tuple(self._running):
            task.cancel()
        for worker in self._idle:
            self._end(worker)
        while self._running or self._ending:
            await asyncio.wait(self._running | self._ending)

    def _closed_error(self, function: Callable[..., Any]) -> ContainerClosedError:
        return ContainerClosedError(
            f"{name_of(function)} did not finish, because container {self._container} closed"
        )
