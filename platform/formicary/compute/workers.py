"""Workers, each with an executor of the standard library, for one function at a time.

A shared executor would be broken by the end of any of its processes, with all that the others compute.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import queue
import signal
import sys
import threading
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from formicary.compute.functions import cannot_be_sent, check_can_be_sent, name_of
from formicary.core.errors import ComputeError
from formicary.core.importing import describe_error
from formicary.processes.words import signal_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.process import BaseProcess

_UNKNOWN = -signal.NSIG  # instead of an exit code
_ENDS_WITHIN = 10.0  # s for an idle process to end by itself


class Worker(Protocol):
    """Runs one function at a time, outside the event loop."""

    async def start(self) -> None:
        """Start it, unless it has started.

        Raises:
            ComputeError: it cannot be started.
        """

    def is_alive(self) -> bool:
        """Return whether it can run another function."""

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function to its end; return a callable that returns its result, or raises its exception.

        Raises:
            ComputeError: it cannot run here, or the worker has ended before it did.
        """

    def end(self) -> str:
        """End it, even if busy; return what becomes of its function, as part of a sentence."""

    async def gone(self) -> None:
        """Wait, after `end`, until nothing is left of it except a function that a thread still runs."""


class ProcessWorker:
    """A process. Like all spawned processes, it imports the program's main module."""

    def __init__(self) -> None:
        self._executor: Executor | None = None
        self._process: BaseProcess | None = None
        self._exit_code: int | None = None
        self._is_over = False

    async def start(self) -> None:
        """Start the process."""
        if self._executor is not None:
            return
        _check_program()
        import multiprocessing
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor

        from formicary.compute.calls import begin, script_file

        try:
            with _sigint_held():  # until it ignores Ctrl-C, which its container handles
                self._executor = ProcessPoolExecutor(
                    1, multiprocessing.get_context("spawn"), initializer=begin, initargs=(script_file(),)
                )
                started = asyncio.get_running_loop().run_in_executor(self._executor, os.getpid)
            # It can only be ended by its process.
            self._process = next(iter(self._executor._processes.values()))  # noqa: SLF001 -- as above
            await started
        except BrokenProcessPool:
            how = await self._how_it_ended()
            raise ComputeError(
                f"a worker process {how} when it started, and may have written the reason to "
                "standard error; a program that uses compute() must start its containers under `if "
                '__name__ == "__main__":`, because each worker imports it'
            ) from None
        except OSError as error:
            raise ComputeError(f"cannot start a worker process ({error.strerror})") from error

    def is_alive(self) -> bool:
        """Return whether the process runs, even if other code in the program has waited for its end."""
        if self._is_over or self._process is None:
            return not self._is_over
        from multiprocessing.connection import wait

        return self._process.is_alive() and not wait([self._process.sentinel], 0)

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function in the process."""
        from concurrent.futures.process import BrokenProcessPool

        from formicary.compute.calls import packed, run_packed, unpacked

        call = packed(function, arguments)
        try:
            result = await asyncio.get_running_loop().run_in_executor(self._executor, run_packed, call)
        except BrokenProcessPool:
            how = await self._how_it_ended()
            raise ComputeError(
                f"the worker process of {name_of(function)} {how} before it returned; the next "
                "function gets a new worker"
            ) from None
        return lambda: unpacked(result, function)

    def end(self) -> str:
        """Kill the process."""
        self._is_over = True
        if self._process is not None:
            self._process.kill()
        return "its worker process was ended"

    def _reap(self) -> None:
        """Wait for the process; a killed one closes its pipes some time before it ends."""
        if self._executor is not None:
            self._executor.shutdown()
        if self._process is not None:
            self._process.join(_ENDS_WITHIN)
            self._process.kill()
            self._process.join()
            if self._process.exitcode is None:
                # Other code in the program has waited for it, and only that knows how it ended.
                self._process._popen.returncode = _UNKNOWN  # type: ignore[attr-defined]  # noqa: SLF001 -- there is no other way

    async def gone(self) -> None:
        """Wait until the process has ended, and all pipes to it are closed."""
        if self._executor is not None:
            reaper = _ThreadExecutor()
            try:
                await asyncio.get_running_loop().run_in_executor(reaper, self._reap)
            finally:
                reaper.shutdown()
        if self._process is not None:
            self._exit_code = self._process.exitcode
            self._process.close()
            self._process = None

    async def _how_it_ended(self) -> str:
        self.end()
        await self.gone()
        code = self._exit_code
        if code in {None, _UNKNOWN}:
            return "has ended"
        return f"has ended with exit code {code}" if code >= 0 else f"was killed by {signal_name(-code)}"


def _check_program() -> None:
    """Refuse a program that worker processes cannot import.

    Raises:
        ComputeError: it is one.
    """
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if file is not None and getattr(main, "__spec__", None) is None and not os.path.exists(file):  # noqa: PTH110 -- no other need of pathlib
        raise ComputeError(
            f"each worker process imports this program, which is not in a file ({file}): save it to "
            "one, or compute in threads"
        )


@contextmanager
def _sigint_held() -> Iterator[None]:
    """Block Ctrl-C in processes started meanwhile; this one gets it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class ThreadWorker:
    """A thread of the container's own process."""

    def __init__(self) -> None:
        self._executor = _ThreadExecutor()

    async def start(self) -> None:
        """Do nothing: the thread starts with its first function."""

    def is_alive(self) -> bool:
        """Return whether the thread accepts functions."""
        return not self._executor.is_over

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, _outcome, function, arguments)

    def end(self) -> str:
        """End the thread after its present function."""
        self._executor.shutdown()
        return "its thread keeps running, because threads cannot be stopped"

    async def gone(self) -> None:
        """Do nothing: the thread ends when it can."""


class InterpreterWorker:
    """An interpreter, with its own global lock, in the container's process.

    Functions and arguments are copied, as for processes. A running function cannot be ended, as in threads.
    """

    def __init__(self) -> None:
        self._executor: Executor | None = None
        self._is_over = False

    async def start(self) -> None:
        """Create the interpreter, which starts with the first function."""
        if self._executor is not None:
            return
        make = getattr(concurrent.futures, "InterpreterPoolExecutor", None)
        if make is None:
            raise ComputeError("this Python has no interpreters for `compute`: use compute_in='processes'")
        # It does not inherit additions to the path.
        self._executor = make(1, initializer=exec, initargs=(f"import sys; sys.path[:] = {sys.path!r}",))

    def is_alive(self) -> bool:
        """Return whether the interpreter accepts functions."""
        return not self._is_over

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function in the interpreter."""
        assert self._executor is not None
        check_can_be_sent(function)
        try:
            value = await asyncio.wrap_future(self._executor.submit(function, *arguments))
        except Exception as error:  # noqa: BLE001 -- raised again when the result is fetched
            # Of the function, rather than of its way to its interpreter and back?
            is_of_function = type(error.__cause__).__name__ == "ExecutionFailed"
            return _failing(error if is_of_function else cannot_be_sent(function, describe_error(error)))
        return lambda: value

    def end(self) -> str:
        """End the interpreter after its present function."""
        self._is_over = True
        if self._executor is not None:
            self._executor.shutdown(wait=False)
        return "its interpreter keeps running, because it cannot be stopped"

    async def gone(self) -> None:
        """Do nothing: the interpreter ends when it can."""


def _failing(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    try:
        value = function(*arguments)
    except BaseException as error:  # noqa: BLE001 -- raised again when the result is fetched
        return _failing(error)
    return lambda: value


class _ThreadExecutor(Executor):
    """One thread; unlike the standard library's, it does not keep the program from ending."""

    def __init__(self) -> None:
        self.is_over = False
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Run a function in the thread."""
        future: Future[Any] = Future()
        self._jobs.put((future, lambda: function(*arguments, **named)))
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="computes", daemon=True)
            self._thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 -- as in Executor
        """End the thread after its present function."""
        del wait, cancel_futures
        self.is_over = True
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, function = job
            if future.set_running_or_notify_cancel():
                future.set_result(function())
            del future, function, job
