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
"""The time of day in a new `VirtualClockLoop`: always the same, so that tests give the same."""


class NothingLeftError(FormicaryError):
    """A program in virtual time waits, and nothing is left that could wake it."""


def run_virtual(main: Coroutine[Any, Any, T], *, seed: int = 0) -> T:
    """Run `main` to its end in virtual time, in a loop of its own; otherwise like `asyncio.run`.

    Tasks that `main` leaves behind are cancelled, and their exceptions go to the loop's exception handler.

    Args:
        main: the coroutine to run.
        seed: of the random numbers that Formicary takes, such as those of `agent.random`.

    Returns:
        What it returns.

    Raises:
        NothingLeftError: all that is left waits, and no timer, thread or socket could wake it. `main` and all
            others have been cancelled and have ended.
        RuntimeError: another loop runs in this thread.
    """
    if asyncio._get_running_loop() is not None:  # noqa: SLF001 -- the public one raises an error
        main.close()
        raise RuntimeError("run_virtual() cannot run inside a running event loop; call it from plain code")
    with asyncio.Runner(loop_factory=partial(VirtualClockLoop, seed)) as runner:
        return runner.run(main)


async def until_idle() -> None:
    """Wait until everything else in this loop waits: nothing is ready, all containers' queues are empty.

    No virtual time passes by it, so whoever sleeps still sleeps; jobs in executors are waited for. If several
    wait until idle, they go on together. When cancelled, nothing is left behind.

    Raises:
        RuntimeError: the loop is an ordinary one. There one cannot know what is still on its way, so this
            works in virtual time alone.
    """
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualClockLoop):
        raise RuntimeError(  # noqa: TRY004 -- what is wrong is the situation, not an argument
            "until_idle() works in virtual time: run the test with formicary.testing.run_virtual()"
        )
    await loop.idle()


class VirtualClockLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time, which passes only by jumps to the next timer, when nothing is ready.

    `time()` starts at 0, the time of day at `STARTS_AT`. While jobs run in executors (`asyncio.to_thread`)
    the clock stands still and the loop really waits for them. For sockets it does not: it jumps to the next
    timer while an answer may still be on its way, and waits only where there is no timer.

    Args:
        seed: of the loop's own random numbers.

    Attributes:
        random: where Formicary takes random numbers from that are no secrets, while this loop runs.
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

    def go_on_at(self, timer: float | None) -> float | None:
        """Return the time to which the clock jumps, as nothing here can happen before; None for never.

        For subclasses, whose clocks may have others to follow.

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
        """Run `func` in a thread, as asyncio does; the clock stands still until it has ended."""
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
        """Say how long really to wait for sockets and threads (seconds, None for any time), or jump."""
        if self._elsewhere:
            return None
        if self._idle:
            waiting, self._idle = self._idle, []
            for future in waiting:
                if not future.done():
                    future.set_result(None)
        # The very time of the timer: the sum of now and `timeout` may round to just before it.
        elif (when := self.go_on_at(None if timeout is None else self._scheduled[0].when())) is not None:  # type: ignore[attr-defined]  # not in typeshed
            # asyncio takes up timers that are due before a nanosecond from now: after months, before now.
            self._now = when if when + 1e-9 > when else math.nextafter(when, math.inf)
        elif sockets == 1:  # the loop's own, with which threads wake it
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
        nothing_ready: given the loop's timeout and the number of sockets where nothing is ready; says how
            long to wait.
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
    """Say where a coroutine waits: the innermost of our own and users' code that has a line."""
    frames = [frame for frame in _frames(coroutine) if frame is not None]
    if not frames:
        return getattr(coroutine, "__qualname__", "?")
    frame = frames[-1]
    return f"{getattr(coroutine, '__qualname__', '?')}, {frame.f_code.co_filename}:{frame.f_lineno}"


def _frames(coroutine: Any) -> Iterator[Any]:
    while coroutine is not None:
        yield getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
