"""Workers: each is an executor of the standard library for one function at a time.

One for all would be broken by the end of any of its processes, and with it what the others compute.
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

_UNKNOWN = -signal.NSIG  # in the place of an exit code
_ENDS_WITHIN = 10.0  # s that a process gets to end by itself that does no more


class Worker(Protocol):
    """What runs one function at a time, beside the event loop."""

    async def start(self) -> None:
        """Start it; where it has started, do nothing.

        Raises:
            ComputeError: it cannot be started.
        """

    def is_alive(self) -> bool:
        """Tell whether it can run another function."""

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function to its end; return what gives its result, or raises its exception.

        Raises:
            ComputeError: it cannot be run here, or the worker has ended before it did.
        """

    def end(self) -> str:
        """End it, whatever it runs; return what becomes of that, as a part of a sentence."""

    async def gone(self) -> None:
        """Wait until nothing is left of it, after `end`: but for a function that a thread still runs."""


class ProcessWorker:
    """A process of its own. Each imports the program's main module, as all that are spawned."""

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
            with _sigint_held():  # until it ignores Ctrl-C, which is for its container
                self._executor = ProcessPoolExecutor(
                    1, multiprocessing.get_context("spawn"), initializer=begin, initargs=(script_file(),)
                )
                started = asyncio.get_running_loop().run_in_executor(self._executor, os.getpid)
            # There is no other way to end it than by its process.
            self._process = next(iter(self._executor._processes.values()))  # noqa: SLF001 -- as said
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
        """Tell whether the process is there, also where others in the program have waited for its end."""
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
        """Wait for the process; one that is killed has closed its pipes some time before it has ended."""
        if self._executor is not None:
            self._executor.shutdown()
        if self._process is not None:
            self._process.join(_ENDS_WITHIN)
            self._process.kill()
            self._process.join()
            if self._process.exitcode is None:
                # Others in the program have waited for it, and only they know how it ended.
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
    """Have processes that are started meanwhile get no Ctrl-C; this one gets it afterwards."""
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
        """Tell whether the thread takes functions."""
        return not self._executor.is_over

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, _outcome, function, arguments)

    def end(self) -> str:
        """Have the thread end after what it runs."""
        self._executor.shutdown()
        return "its thread keeps running, because threads cannot be stopped"

    async def gone(self) -> None:
        """Do nothing: the thread ends when it can."""


class InterpreterWorker:
    """An interpreter of its own in the container's process: Python's lock is each one's own.

    Functions and arguments are copied, as to processes. What it runs cannot be ended, as in threads.
    """

    def __init__(self) -> None:
        self._executor: Executor | None = None
        self._is_over = False

    async def start(self) -> None:
        """Make the interpreter with the first function."""
        if self._executor is not None:
            return
        make = getattr(concurrent.futures, "InterpreterPoolExecutor", None)
        if make is None:
            raise ComputeError("this Python has no interpreters for `compute`: use compute_in='processes'")
        # It knows nothing of what has been added to the path.
        self._executor = make(1, initializer=exec, initargs=(f"import sys; sys.path[:] = {sys.path!r}",))

    def is_alive(self) -> bool:
        """Tell whether the interpreter takes functions."""
        return not self._is_over

    async def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """Run a function in the interpreter."""
        assert self._executor is not None
        check_can_be_sent(function)
        try:
            value = await asyncio.wrap_future(self._executor.submit(function, *arguments))
        except Exception as error:  # noqa: BLE001 -- it is raised where the result is asked for
            caught = error if _is_of_function(error) else cannot_be_sent(function, describe_error(error))
            return _failing(caught)
        return lambda: value

    def end(self) -> str:
        """Have the interpreter end after what it runs."""
        self._is_over = True
        if self._executor is not None:
            self._executor.shutdown(wait=False)
        return "its interpreter keeps running, because it cannot be stopped"

    async def gone(self) -> None:
        """Do nothing: the interpreter ends when it can."""


def _is_of_function(error: Exception) -> bool:
    """Tell whether a function has raised this, and not what brings it to its interpreter and back."""
    return type(error.__cause__).__name__ == "ExecutionFailed"


def _failing(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    try:
        value = function(*arguments)
    except BaseException as error:  # noqa: BLE001 -- it is raised where the result is asked for
        return _failing(error)
    return lambda: value


class _ThreadExecutor(Executor):
    """One thread; unlike that of the standard library, it keeps no program from ending."""

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

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 -- as Executor has it
        """Have the thread end after what it runs."""
        del wait, cancel_futures
        self.is_over = True
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, function = job
            if future.set_running_or_notify_cancel():
                future.set_result(function())
            del future, function, job
