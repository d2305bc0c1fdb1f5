"""Leases, which end unless they are renewed, with one timer for any number of them."""

from __future__ import annotations

import asyncio
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

K = TypeVar("K", bound="Hashable")

_SPARE = 64  # stale entries that the heap may have, in addition to as many as there are leases


class Leases(Generic[K]):
    """Leases by key, timed by the event loop's clock, which does not jump when the clock is set.

    Args:
        ended: called with the keys whose leases have ended, earliest first; they are forgotten before the
            call.
    """

    def __init__(self, ended: Callable[[list[K]], None]) -> None:
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._due: dict[K, float] = {}
        # Renewing is frequent and only changes `_due`; the heap is updated when the old time is reached. So
        # an entry may be too early, or of a lease that is over, but there is one at or before each due time.
        self._heap: list[tuple[float, int, K]] = []
        self._numbers = count()  # keys need not be comparable
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._due)

    def __contains__(self, key: object) -> bool:
        return key in self._due

    def grant(self, key: K, seconds: float) -> None:
        """Grant or renew a lease for so many seconds from now."""
        due = self._loop.time() + seconds
        former = self._due.get(key)
        self._due[key] = due
        if former is not None and former <= due:
            return
        heappush(self._heap, (due, next(self._numbers), key))
        if len(self._heap) > 2 * len(self._due) + _SPARE:
            self._heap = [(due, next(self._numbers), key) for key, due in self._due.items()]
            heapify(self._heap)
        self._set_timer()

    def left(self, key: K) -> float | None:
        """Return the seconds left of a lease; None if there is none."""
        due = self._due.get(key)
        return None if due is None else max(0.0, due - self._loop.time())

    def cancel(self, key: K) -> None:
        """Forget a lease, if any."""
        if self._due.pop(key, None) is not None and not self._due:
            self.close()

    def close(self) -> None:
        """Forget all leases."""
        self._due.clear()
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self) -> None:
        first = self._heap[0][0]
        if self._timer is not None:
            if self._timer.when() <= first:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(first, self._end)

    def _end(self) -> None:
        self._timer = None
        now = self._loop.time()
        ended = []
        while self._heap and self._heap[0][0] <= now:
            when, number, key = self._heap[0]
            due = self._due.get(key)
            if due is not None and due > when:
                heapreplace(self._heap, (due, number, key))
                continue
            heappop(self._heap)
            if due is not None:
                del self._due[key]
                ended.append(key)
        if self._heap:
            self._set_timer()
        if ended:
            self._ended(ended)
