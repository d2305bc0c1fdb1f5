"""The kinds of behaviours, as in SPADE."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from formicary.core.behaviour import Behaviour
from formicary.core.clock import seconds_until
from formicary.core.times import check_duration, check_moment

if TYPE_CHECKING:
    from datetime import datetime, timedelta


class CyclicBehaviour(Behaviour):
    """Calls `run` repeatedly until it is killed."""

    __slots__ = ()


class OneShotBehaviour(Behaviour):
    """Calls `run` once."""

    __slots__ = ()
    _repeats = False


class PeriodicBehaviour(Behaviour):
    """Calls `run` at fixed times, one `period` apart; times that pass while it is running are skipped.

    Args:
        period: seconds from the start of one run to the start of the next: above 0.
        start_at: the time of the first run (without a zone: local time), or how long until then; None for
            now.

    Raises:
        UsageError: the period is not a number above 0, or `start_at` is not a time.
    """

    __slots__ = ("_next", "_period", "_start_at")
    _timed = True

    def __init__(self, period: float, start_at: datetime | timedelta | None = None) -> None:
        super().__init__()
        self.period = period
        self._start_at = None if start_at is None else check_moment(start_at, "start_at=")
        self._next: float | None = None

    @property
    def period(self) -> float:
        """Seconds from the start of one run to the start of the next.

        Raises:
            UsageError: it is set to something other than a number above 0.
        """
        return self._period

    @period.setter
    def period(self, period: float) -> None:
        self._period = check_duration(period, "a period")

    async def _wait_for_time(self) -> None:
        time = asyncio.get_running_loop().time
        if self._next is None:
            self._next = time() + (seconds_until(self._start_at) if self._start_at else 0.0)
        else:
            self._next = self._after(self._next, time())
        await asyncio.sleep(max(0.0, self._next - time()))

    def _after(self, due_at: float, now: float) -> float:
        # Due just now is not skipped: a run that takes exactly one period is followed by the next.
        return due_at + self._period * max(1, math.ceil((now - due_at) / self._period))

    def strand_time_left(self, *, is_waiting: bool) -> float:
        """Return the seconds left until `run` is due; as of `Behaviour`."""
        if self._next is None:
            return seconds_until(self._start_at) if self._start_at else 0.0
        now = asyncio.get_running_loop().time()
        return max(0.0, (self._next if is_waiting else self._after(self._next, now)) - now)


class TimeoutBehaviour(Behaviour):
    """Calls `run` once, at a given time.

    Args:
        start_at: the time (without a zone: local time), or how long until then.

    Raises:
        UsageError: it is neither.
    """

    __slots__ = ("_due_at", "_start_at")
    _timed = True
    _repeats = False

    def __init__(self, start_at: datetime | timedelta) -> None:
        super().__init__()
        self._start_at = check_moment(start_at, "start_at=")
        self._due_at: float | None = None  # by the loop's clock, from when it waits

    async def _wait_for_time(self) -> None:
        seconds = seconds_until(self._start_at)
        self._due_at = asyncio.get_running_loop().time() + seconds
        await asyncio.sleep(seconds)

    def strand_time_left(self, *, is_waiting: bool) -> float:
        """Return the seconds left until `run` is due; as of `Behaviour`."""
        del is_waiting  # a run that was interrupted starts again, at once
        if self._due_at is None:
            return max(0.0, seconds_until(self._start_at))
        return max(0.0, self._due_at - asyncio.get_running_loop().time())
