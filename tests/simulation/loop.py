"""Many processes in one event loop and in virtual time, which can be stopped and killed."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections import deque
from typing import TYPE_CHECKING, Any

from formicary.testing import VirtualClockLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_AT_ONCE = 200_000  # steps without any time passing: then it goes round in circles

PROCESS: contextvars.ContextVar[Process | None] = contextvars.ContextVar("process", default=None)
"""Whose callbacks, tasks and behaviours run: they inherit it, wherever they come from."""


class EndlessError(Exception):
    """Something runs for ever without any time passing."""


class SimulatedLoop(VirtualClockLoop):
    """A loop whose steps are counted and belong to processes.

    A step is an event that the loop handles: a callback or a timer, of whomever.

    Args:
        seed: of the random numbers that the platform draws.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._ready: _Ready = _Ready(self)  # asyncio's own queue, by its name there
        self.world: Any = None  # what runs in it, for agents that have come to a container with nothing else

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._ready.steps


class _Ready(deque[asyncio.Handle]):
    """The queue of callbacks; those of a process that does not run are kept or dropped."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self.steps = 0
        self._loop = loop
        self._now = -1.0
        self._until = 0
        self._nothing = asyncio.Handle(print, (), loop)
        self._nothing.cancel()

    def popleft(self) -> asyncio.Handle:
        handle = super().popleft()
        process = handle._context.get(PROCESS)
        if process is not None and not process.runs:
            process.keep(handle)
            return self._nothing
        self.steps += 1
        if self.steps >= self._until:
            if self._loop.time() == self._now:
                raise EndlessError(f"{_AT_ONCE} steps without any time passing, now {handle!r}")
            self._now = self._loop.time()
            self._until = self.steps + _AT_ONCE
        return handle


class Process:
    """A container's process, from start to end.

    Args:
        loop: where.
        name: the container's.
        life: distinguishes it from others of that name.
    """

    def __init__(self, loop: SimulatedLoop, name: str, life: int) -> None:
        self.name = name
        self.life = life
        self.runs = True
        self.is_alive = True
        self.container: Any = None  # which it runs
        self.stood_still = 0.0  # seconds at once, at most
        self._stopped_at = 0.0
        self.context = contextvars.copy_context()
        self.context.run(PROCESS.set, self)
        self._loop = loop
        self._held: list[asyncio.Handle] = []
        self._remains: list[Any] = []  # nothing of it is finalised while the others go on

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine in it."""
        return self._loop.create_task(work, context=self.context)

    def call(self, delay: float, callback: Callable[..., object], *arguments: Any) -> None:
        """Call back in it after so many seconds."""
        self._loop.call_later(delay, callback, *arguments, context=self.context)

    def stop(self) -> None:
        """Stop it, as by SIGSTOP."""
        if self.runs:
            self.runs = False
            self._stopped_at = self._loop.time()

    def proceed(self) -> None:
        """Resume it, with everything that was due meanwhile."""
        if self.is_alive and not self.runs:
            self.runs = True
            self.stood_still = max(self.stood_still, self._loop.time() - self._stopped_at)
            held, self._held = self._held, []
            self._loop._ready.extend(held)

    def kill(self) -> None:
        """End it, as by SIGKILL: nothing of it runs any more."""
        self.runs = self.is_alive = False
        self._remains = [*self._held, *asyncio.all_tasks(self._loop)]

    @property
    def was_killed(self) -> bool:
        """Whether it was killed, rather than closed."""
        return not (self.runs or self.is_alive)

    def keep(self, handle: asyncio.Handle) -> None:
        """Keep what would run now."""
        if self.is_alive:
            self._held.append(handle)
        else:
            self._remains.append(handle)


def bury(loop: SimulatedLoop) -> None:
    """Clean up after dead processes, and close the loop."""
    loop.set_exception_handler(lambda *_: None)
    asyncio.set_event_loop(loop)  # for those that gather others as they end: there would be another loop
    for task in asyncio.all_tasks(loop):
        task._log_destroy_pending = False
        with contextlib.suppress(BaseException):
            task.get_coro().close()
    asyncio.set_event_loop(None)
    loop.close()
