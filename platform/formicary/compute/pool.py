"""A container's workers, and the calls that wait for one."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, Literal

from formicary.compute.functions import check_function, name_of
from formicary.compute.workers import InterpreterWorker, ProcessWorker, ThreadWorker
from formicary.core.errors import ContainerClosedError
from formicary.core.systems import usable_cores
from formicary.core.times import time_limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.compute.workers import Worker

Means = Literal["auto", "processes", "threads", "interpreters"]


def has_lock() -> bool:
    """Return whether Python's threads compute one at a time."""
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


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
        self._line: deque[asyncio.Future[Worker]] = deque()  # calls that wait for a worker
        self._running: set[asyncio.Task[Callable[[], Any]]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def run(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], timeout: float | None
    ) -> Any:
        """Run a function in a worker, now or when one is free; as `Container.compute`."""
        check_function(function)
        limit = time_limit(timeout)
        worker = await self._worker(function)
        # In a task of its own, as the function runs on if the caller is cancelled.
        task = asyncio.get_running_loop().create_task(
            self._run_in(worker, function, arguments, limit), name=f"waits for {name_of(function)}"
        )
        self._running.add(task)
        task.add_done_callback(self._has_run)
        return (await asyncio.shield(task))()

    def describe(self, function: Callable[..., Any]) -> str:
        """Return what a caller waits for, and what helps, as part of a sentence."""
        return f"{name_of(function)} to return; pass timeout= to compute()"

    async def _run_in(
        self, worker: Worker, function: Callable[..., Any], arguments: tuple[Any, ...], timeout: float | None
    ) -> Callable[[], Any]:
        try:
            await worker.start()
            async with asyncio.timeout(timeout):
                return await worker.run(function, arguments)
        except TimeoutError:
            how = worker.end()
            raise TimeoutError(f"{name_of(function)} has not returned within {timeout:g} s: {how}") from None
        except asyncio.CancelledError:
            raise self._closed_error(function) from None
        finally:
            self._give_back(worker)

    def _has_run(self, task: asyncio.Task[Callable[[], Any]]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, as nobody may be waiting any more

    def _end(self, worker: Worker) -> str:
        """End a worker, unless it has ended; return what becomes of its function."""
        how = worker.end()
        task = asyncio.get_running_loop().create_task(worker.gone(), name="waits for the end of a worker")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return how

    # -- workers --------------------------------------------------------------------------------------------

    async def _worker(self, function: Callable[..., Any]) -> Worker:
        """Return a free worker, as soon as there is one."""
        if self._is_closed:
            raise self._closed_error(function)
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive():
                self._busy.add(worker)
                return worker
            self._end(worker)
        if len(self._busy) < self.size:
            return self._new()
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._line.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._give_back(future.result())
            raise

    def _new(self) -> Worker:
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
            future = self._line.popleft()
            if not future.done():
                self._busy.add(worker)
                future.set_result(worker)
                return
        self._idle.append(worker)

    # -- closing --------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """End the workers, even those that are busy; calls that wait for them raise."""
        self._is_closed = True
        while self._line:
            future = self._line.popleft()
            if not future.done():
                future.set_exception(ContainerClosedError(f"container {self._container} has closed"))
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
