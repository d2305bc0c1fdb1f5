"""Timeouts of conversations, with one timer for a container."""

from __future__ import annotations

from datetime import timedelta
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Protocol

from formicary.core.clock import now
from formicary.core.times import ENDLESS, check_seconds

if TYPE_CHECKING:
    import asyncio
    from datetime import datetime

    from formicary.core.scheduler import Scheduler

_TICK = 0.001  # s, the resolution of event loops
_FEW = 64


class Waiter(Protocol):
    """Waits until a deadline."""

    def done(self) -> bool:
        """Return whether it has stopped waiting."""

    def expire(self) -> None:
        """Called when its time is over."""


class Deadline:
    """A deadline shared by all waiters that begin in one turn of the scheduler with the same timeout.

    Attributes:
        waiters: the waiters, including some that have stopped waiting.
        timeout: seconds.
    """

    __slots__ = ("_reply_by", "timeout", "turn", "waiters")

    def __init__(self, timeout: float, turn: list[float]) -> None:
        self.waiters: list[Waiter] = []
        self.timeout = timeout
        self.turn = turn
        self._reply_by: datetime | None = None

    def due(self) -> float:
        """Return the time, by the loop's clock, counted from the end of the turn."""
        return self.turn[0] + self.timeout if self.turn else 0.0

    @property
    def reply_by(self) -> datetime | None:
        """The time as `reply_by` of messages; None if there is no end."""
        if self._reply_by is None and self.timeout < ENDLESS:
            self._reply_by = now() + timedelta(seconds=self.timeout)
        return self._reply_by


class Deadlines:
    """Calls waiters back at their deadlines.

    Setting and cancelling a timer for each question would cost as much as asking, and so would a place for
    each in a queue. So waiters that begin in one turn of the scheduler with the same timeout share one, and
    stay until it is over, or until most waiters here have stopped waiting.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._loop = scheduler.loop
        self._heap: list[tuple[float, int, Deadline]] = []
        self._numbers = count()  # so that deadlines are never compared
        self._latest: Deadline | None = None
        self._count = 0  # of all waiters, and the limit at which those done are removed
        self._most = _FEW
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0

    def add(self, waiter: Waiter, timeout: float) -> Deadline:
        """Call `waiter.expire` in `timeout` seconds, unless it is done by then; return the deadline.

        Raises:
            UsageError: the timeout is no number of seconds.
        """
        deadline = self._latest
        if deadline is None or deadline.timeout != timeout or deadline.turn is not self._scheduler.turn:
            deadline = self._begin(timeout)
        deadline.waiters.append(waiter)
        self._count += 1
        if self._count >= self._most:
            self._leave_out()
        return deadline

    def _begin(self, timeout: float) -> Deadline:
        """Return a new deadline, to be shared in the same turn of the scheduler."""
        check_seconds(timeout)
        scheduler = self._scheduler
        if scheduler.current is None:  # outside of strands there are no turns
            self._latest = None
            deadline = Deadline(timeout, [])
        else:
            self._latest = deadline = Deadline(timeout, scheduler.turn)
        if timeout >= ENDLESS:
            return deadline
        when = self._loop.time() + timeout
        heappush(self._heap, (when, next(self._numbers), deadline))
        if self._timer is None or when < self._rings_at:
            self._set_timer(when)
        return deadline

    def _leave_out(self) -> None:
        """Remove waiters that have stopped waiting."""
        for _, _, deadline in self._heap:
            deadline.waiters = [waiter for waiter in deadline.waiters if not waiter.done()]
        self._heap[:] = [entry for entry in self._heap if entry[2].waiters or entry[2] is self._latest]
        heapify(self._heap)
        self._count = sum(len(deadline.waiters) for _, _, deadline in self._heap)
        self._most = max(_FEW, 2 * self._count)

    def _set_timer(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = when
        self._timer = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        self._timer = self._latest = None
        heap, now = self._heap, self._loop.time() + _TICK / 2
        while heap and heap[0][0] <= now:
            deadline = heappop(heap)[2]
            if (due := deadline.due()) > now:
                heappush(heap, (due, next(self._numbers), deadline))
                continue
            self._count -= len(deadline.waiters)
            for waiter in deadline.waiters:
                if not waiter.done():
                    waiter.expire()
        if heap and self._timer is None:
            self._set_timer(heap[0][0])

    def close(self) -> None:
        """Stop calling waiters."""
        if self._timer is not None:
            self._timer.cancel()
        self._heap.clear()
        self._latest = None
