"""An event loop whose clock jumps to the next timer as soon as nothing else can happen."""

from __future__ import annotations

import asyncio
import math
import random
import selectors
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, Unpack

from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping
    from concurrent.futures import Executor

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

STARTS_AT = datetime(2030, 1, 1, 12, tzinfo=UTC)
"""The initial time of day in a `VirtualClockLoop`, fixed so that tests are reproducible."""


class NothingLeftError(FormicaryError):
    """A program in virtual time waits for something that can never happen."""


def run_virtual(main: Coroutine[Any, Any, T], *, seed: int = 0) -> T:
    """Run `main` to its end in virtual time, in its own loop; otherwise like `asyncio.run`.

    Remaining tasks are cancelled, and their exceptions go to the loop's exception handler.

    Args:
        main: the coroutine to run.
        seed: of Formicary's random numbers, such as those of `agent.random`.

    Returns:
        The result of `main`.

    Raises:
        NothingLeftError: all tasks wait, and no timer, thread or socket could wake them. `main` and all
            others have been cancelled and have ended.
        RuntimeError: another loop is running in this thread.
    """
    if asyncio._get_running_loop() is not None:  # noqa: SLF001 -- the public one raises an error
        main.close()
        raise RuntimeError("run_virtual() cannot run inside a running event loop; call it from plain code")
    with asyncio.Runner(loop_factory=partial(VirtualClockLoop, seed)) as runner:
        return runner.run(main)


async def until_idle() -> None:
    """Wait until everything else in this loop waits: nothing is ready, all containers' queues are empty.

    No virtual time passes, so sleeping tasks still sleep; jobs in executors are awaited. If several tasks
    wait until idle, they continue together. Cancellation leaves nothing behind.

    Raises:
        RuntimeError: the loop is not in virtual time. An ordinary loop cannot know what may still arrive.
    """
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualClockLoop):
        raise RuntimeError(  # noqa: TRY004 -- what is wrong is the situation, not an argument
            "until_idle() works in virtual time: run the test with formicary.testing.run_virtual()"
        )
    await loop.idle()


class VirtualClockLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time, which passes only by jumps to the next timer, when nothing is ready.

    `time()` starts at 0, the time of day at `STARTS_AT`. While jobs run in executors (`asyncio.to_thread`),
    the clock stands still and the loop waits for them in real time. It does not wait so for sockets: it jumps
    to the next timer even if an answer is about to arrive, and waits only if there is no timer.

    Args:
        seed: of the loop's own random numbers.

    Attributes:
        random: the source of Formicary's random numbers, except secrets, while this loop runs.
    """

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self._now = 0.0
        self._elsewhere = 0  # how many jobs run in threads
        self._idle: list[asyncio.Future[None]] = []
        super().__init__(_Selector(self._nothing_ready))

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._now

    def wall_clock(self) -> datetime:
        """Return the virtual time of day, in UTC."""
        return STARTS_AT + timedelta(seconds=self._now)

    def jump_target(self, timer: float | None) -> float | None:
        """Return the time to jump to, before which nothing here can happen; None for never.

        For subclasses whose clocks follow others.

        Args:
            timer: when the next timer is due; None if there is none.
        """
        return timer

    async def idle(self) -> None:
        """Wait until all others wait; for `until_idle`."""
        future = self.create_future()
        self._idle.append(future)
        await future

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run `func` in a thread, as asyncio does; the clock stands still until it ends."""
        future = super().run_in_executor(executor, func, *args)
        self._elsewhere += 1
        future.add_done_callback(self._came_back)
        return future

    async def shutdown_default_executor(self, *args: Any) -> None:
        """Wait for the executor's threads to end, as asyncio does."""
        self._elsewhere += 1
        try:
            await super().shutdown_default_executor(*args)
        finally:
            self._elsewhere -= 1

    def _came_back(self, _: object) -> None:
        self._elsewhere -= 1

    def _nothing_ready(self, timeout: float | None, sockets: int) -> float | None:
        """Return the real seconds to wait for sockets and threads (None for no limit), or jump."""
        if self._elsewhere:
            return None
        if self._idle:
            waiting, self._idle = self._idle, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)
        # The timer's exact time: the sum of now and `timeout` may round to just before it.
        elif (when := self.jump_target(None if timeout is None else self._scheduled[0].when())) is not None:  # type: ignore[attr-defined]  # not in typeshed
            # asyncio runs timers due before now plus 1 ns, which after months rounds to now.
            self._now = when if when + 1e-9 > when else math.nextafter(when, math.inf)
        elif sockets == 1:  # the loop's own, by which threads wake it
            raise NothingLeftError(f"nothing left to run: {self._waiting() or 'nothing is waiting'}")
        else:
            return None
        return 0

    def _waiting(self) -> str:
        tasks = sorted(asyncio.all_tasks(self), key=lambda task: task.get_name())
        return "; ".join(f"{task.get_name()} is waiting in {_place(task.get_coro())}" for task in tasks)


class _Selector(selectors.BaseSelector):
    """The system's selector, which asks before it waits.

    Args:
        nothing_ready: called with the loop's timeout and the number of sockets when nothing is ready; returns
            how long to wait.
    """

    def __init__(self, nothing_ready: Callable[[float | None, int], float | None]) -> None:
        self._real = selectors.DefaultSelector()
        self._nothing_ready = nothing_ready

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = self._real.select(0)
        if events or (timeout is not None and timeout <= 0):
            return events
        return self._real.select(self._nothing_ready(timeout, len(self._real.get_map())))

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


def _place(coroutine: Any) -> str:
    """Return where a coroutine waits: the innermost line of our own or users' code."""
    frames = [frame for frame in _frames(coroutine) if frame is not None]
    if not frames:
        return getattr(coroutine, "__qualname__", "?")
    frame = frames[-1]
    return f"{getattr(coroutine, '__qualname__', '?')}, {frame.f_code.co_filename}:{frame.f_lineno}"


def _frames(coroutine: Any) -> Iterator[Any]:
    while coroutine is not None:
        yield getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
