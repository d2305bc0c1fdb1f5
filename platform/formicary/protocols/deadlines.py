"""When waiting is over: one timer for all who wait in a container."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio

_TICK = 0.001  # s; event loops keep time by milliseconds
_FEW = 64


class Waiter(Protocol):
    """What waits until some time."""

    def done(self) -> bool:
        """Tell whether it waits no more."""

    def expire(self) -> None:
        """Called when its time is over."""


class Deadlines:
    """Calls those back whose time is over.

    To set a timer for each question, and to take it back, would cost as much as asking. So who waits no more
    stays here until its time would be over, or until most of those that are here wait no more.

    Args:
        loop: the container's.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._heap: list[tuple[float, int, Waiter]] = []
        self._numbers = count()  # so that waiters are never compared
        self._most = _FEW  # entries, before those are left out that wait no more
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0

    def add(self, waiter: Waiter, timeout: float) -> None:
        """Call `waiter.expire` in `timeout` seconds, unless it is done by then."""
        heap = self._heap
        if len(heap) >= self._most:
            heap[:] = [entry for entry in heap if not entry[2].done()]
            heapify(heap)
            self._most = max(_FEW, 2 * len(heap))
        when = self._loop.time() + timeout
        heappush(heap, (when, next(self._numbers), waiter))
        if self._timer is None or when < self._rings_at:
            self._set_timer(when)

    def _set_timer(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = when
        self._timer = self._loop.call_at(when, self._ring)

    def _ring(self) -> None:
        self._timer = None
        heap, now = self._heap, self._loop.time() + _TICK / 2
        while heap and (heap[0][0] <= now or heap[0][2].done()):
            waiter = heappop(heap)[2]
            if not waiter.done():
                waiter.expire()
        if heap and self._timer is None:
            self._set_timer(heap[0][0])

    def close(self) -> None:
        """Call nobody any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._heap.clear()
