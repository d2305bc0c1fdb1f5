"""Synchronous mode: all behaviours of a container complete a cycle before any begins the next.

A behaviour's cycle is from one `receive` to the next, or one `run` that receives nothing. It is over when
the behaviour waits for anything, such as a message, its next time or room; except for a function that it has
passed to `compute`, or the thread of a `ThreadBehaviour`: all others wait for these. A micro-agent handles
the messages that had arrived when the cycle began.

Whatever becomes ready during a cycle runs in the next, in the order in which it became ready. So the order of
messages depends only on what agents do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from formicary.core.logs import get_logger
from formicary.core.scheduler import MOST, Scheduler
from formicary.core.strand import Strand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

logger = get_logger("formicary")

PATIENCE: Final = 10.0
"""Seconds until it is logged what delays the next cycle."""


class Gate(Protocol):
    """Begins cycles at the same time in several containers, by `begin_cycle`."""

    def cycle_ended(self, *, is_busy: bool) -> None:
        """Called when a cycle is over; `is_busy`: whether anything ran in it, or is ready."""

    def close(self) -> None:
        """Called when cycles end for good."""

    def work_came(self) -> None:
        """Called when something is ready between two cycles, perhaps several times."""


class _Busy(NamedTuple):
    """A task that awaits something within its cycle: what it awaits, and the timer that logs it."""

    what: Callable[[], str]
    timer: asyncio.TimerHandle


class CycleScheduler(Scheduler):
    """Runs agents cycle by cycle.

    Args:
        services: runs the container's own agents, such as `ams`, which have no cycles.
        arguments: as of `Scheduler`.
    """

    __slots__ = (
        "_arrived",
        "_busy",
        "_did",
        "_gate",
        "_is_ending",
        "_is_open",
        "_now",
        "_now_micro",
        "_services",
        "cycle",
    )

    greedy = 0

    def __init__(self, services: Scheduler, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._services = services
        self.cycle = 0
        # The rest of this cycle; `ready` and `micro` are for the next one.
        self._now: deque[Any] = deque()
        self._now_micro: deque[Any] = deque()
        self._is_open = False
        self._did = False  # anything in this cycle
        self._busy: dict[asyncio.Future[Any], _Busy] = {}
        self._arrived: set[asyncio.Future[Any]] = set()  # those of them that could continue
        self._gate: Gate | None = None
        self._is_ending = False

    @property
    def services(self) -> Scheduler:
        """The scheduler of the container's own agents."""
        return self._services

    # -- overriding the scheduler ---------------------------------------------------------------------------

    def wake(self) -> None:
        """Run the queue in the next turn of the loop, if a cycle continues or can begin."""
        if self._has_steps():
            super().wake()
        elif self._gate is not None and not self._is_open and (self.ready or self.micro):
            self._gate.work_came()

    def run_inside(self) -> None:
        """Do nothing: all agents have their turns in cycles."""

    def schedule(self, strand: Strand, value: object = None) -> None:
        """Resume `strand` with `value` in the next cycle, or in this one if it has not completed it."""
        if strand not in self._busy:
            super().schedule(strand, value)
        else:
            self._arrived.add(strand)
            self._proceed()

    def queued(self) -> Iterable[object]:
        """Return the contents of the queues: messages, among other things."""
        return chain(self._now, self._now_micro, self.ready, self.micro, self._services.queued())

    def withdraw(self, agent: object) -> list[tuple[Any, Any]]:
        """Remove and return the messages waiting for a micro-agent, or all if None, with receivers."""
        later = self.micro.copy()
        self.micro.clear()
        self.micro.extend(self._now_micro)
        taken = super().withdraw(agent)
        self._now_micro.clear()
        self._now_micro.extend(self.micro)
        self.micro.clear()
        self.micro.extend(later)
        return taken + super().withdraw(agent)

    def run(self) -> None:
        """Run what is ready, as much as a turn of the loop allows; called by the loop."""
        self.next_turn = None
        if self.unwatched is not None:
            self.unwatched()
        try:
            self._run_ready()
        finally:
            self.turn.append(self.time())
            self.turn = []
            self.awake = False
            if self._has_steps():
                super().wake()
        while self._ends:
            self._ends.pop()()

    def _run_ready(self) -> None:
        if not self._has_steps():
            return
        if not self._is_open:
            self._begin()
        most = self.resumed + self.handled + MOST
        while (self._now or self._now_micro) and self.resumed + self.handled < most:
            if self._now:
                self._run_strands(self._now)
            if self._now_micro:
                self._run_micro(self._now_micro)
        # The next begins in another turn of the loop, after the start of tasks that behaviours have created.
        self._settle()

    # -- cycles ---------------------------------------------------------------------------------------------

    def join(self, gate: Gate) -> None:
        """Leave it to `gate` to begin all cycles from now on, from number 1."""
        self._gate = gate
        self.cycle = 0
        self._is_open = True
        self.loop.call_soon(self._proceed)

    def begin_cycle(self) -> None:
        """Begin a cycle, even if there is nothing to do; for the gate, when the last one is over."""
        if self._gate is None:
            return
        self._begin()
        if not self._did:
            self.loop.call_soon(self._proceed)
        elif not self.awake:
            super().wake()

    def end_cycles(self) -> None:
        """Release everything that waits, as the container closes."""
        self._is_ending = True
        gate, self._gate = self._gate, None
        if gate is not None:
            gate.close()
        for busy in self._busy.values():
            busy.timer.cancel()
        for strand in self._arrived:
            self.ready += (strand, None)
        self._busy.clear()
        self._arrived.clear()
        self._proceed()

    @contextmanager
    def busy(self, what: Callable[[], str]) -> Iterator[None]:
        """Begin no cycle until the task that enters this block has left it."""
        task = asyncio.current_task(self.loop)
        assert task is not None  # as the caller awaits something
        self.keep(task, what)
        try:
            yield
        finally:
            self.let_go(task)

    def keep(self, waiter: asyncio.Future[Any], what: Callable[[], str]) -> None:
        """Begin no cycle until `let_go`, or, if `waiter` is a strand, until it can resume."""
        if not self._is_ending:
            self._busy[waiter] = _Busy(what, self.loop.call_later(PATIENCE, self._say_late, waiter))

    def let_go(self, waiter: asyncio.Future[Any]) -> None:
        """Stop waiting for `waiter`, if it is waited for."""
        self._arrived.discard(waiter)
        if (busy := self._busy.pop(waiter, None)) is not None:
            busy.timer.cancel()
            if not isinstance(waiter, Strand):
                self.loop.call_soon(self._proceed)  # others of its kind may begin in this turn

    def _has_steps(self) -> bool:
        """Return whether there is anything to run now."""
        if self._is_open:
            return bool(self._now or self._now_micro)
        return self._gate is None and bool(self.ready or self.micro) and not self._is_waited_for()

    def _is_waited_for(self) -> bool:
        """Return whether a task has not completed the cycle, apart from suspended ones."""
        return any(
            task not in self._arrived and not (isinstance(task, Strand) and task.is_held)
            for task in self._busy
        )

    def _begin(self) -> None:
        self.cycle += 1
        self._is_open = True
        self._now, self.ready = self.ready, self._now
        self._now_micro.extend(self.micro)
        self.micro.clear()
        self._did = bool(self._now or self._now_micro)

    def _settle(self) -> None:
        """End the cycle if nothing is left to run, or resume the tasks that it waited for."""
        if self._now or self._now_micro or self._is_waited_for():
            return
        if self._arrived:
            queue = self._now if self._is_open else self.ready
            for task in [
                task for task in self._busy if task in self._arrived
            ]:  # whoever was the first to arrive
                queue.extend((task, None))
                if queue is self.ready:  # it was suspended, and the others have continued
                    self._busy.pop(task).timer.cancel()
            self._arrived.clear()
        elif self._is_open:
            self._is_open = False
            if self._gate is not None:
                self._gate.cycle_ended(is_busy=self._did or bool(self.ready or self.micro))

    def _proceed(self) -> None:
        """Check whether a cycle is over and what can run; call while nothing runs."""
        if self.is_running:
            return
        self._settle()
        if not self.awake:
            self.wake()

    def _say_late(self, task: asyncio.Future[Any]) -> None:
        if task in self._arrived or (isinstance(task, Strand) and task.is_held):
            return
        logger.warning(
            "%s has delayed the next cycle of all others for %g s: it is waiting for %s",
            task.get_name() if isinstance(task, asyncio.Task | Strand) else "the container",
            PATIENCE,
            self._busy[task].what(),
        )
