"""The time for behaviours: the machine's, or the virtual time of `formicary.testing`."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def now() -> datetime:
    """Return the time of day in UTC, by the running event loop's own clock if it has one."""
    wall_clock = getattr(asyncio.get_running_loop(), "wall_clock", None)
    return wall_clock() if wall_clock else datetime.now(UTC)


def seconds_until(when: datetime | timedelta) -> float:
    """Return the seconds until a time (without a zone: local time), or of a duration; 0 if it has passed."""
    if isinstance(when, timedelta):
        return max(0.0, when.total_seconds())
    return max(0.0, (when.astimezone(UTC) - now()).total_seconds())


def exact_time(loop: asyncio.AbstractEventLoop) -> Callable[[], float]:
    """Return a function for a loop's exact time; uvloop's `time` returns when the current turn began."""
    return loop.time if hasattr(loop, "wall_clock") else time.monotonic


def wall_time() -> Callable[[], float]:
    """Return a function for the time of day in seconds since 1970, by the same clock as `now`."""
    wall_clock = getattr(asyncio.get_running_loop(), "wall_clock", None)
    return time.time if wall_clock is None else lambda: wall_clock().timestamp()
