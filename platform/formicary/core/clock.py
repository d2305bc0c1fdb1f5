"""The time as behaviours see it: the machine's, or the virtual one of `formicary.testing`."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def now() -> datetime:
    """Return the time of day in UTC, by the running event loop's clock if that has one of its own."""
    wall_clock = getattr(asyncio.get_running_loop(), "wall_clock", None)
    return wall_clock() if wall_clock else datetime.now(UTC)


def seconds_until(when: datetime | timedelta) -> float:
    """Return how many seconds there are until a time (without a zone: local time) or for a duration.

    Never less than 0: what is over is due now.
    """
    if isinstance(when, timedelta):
        return max(0.0, when.total_seconds())
    return max(0.0, (when.astimezone(UTC) - now()).total_seconds())


def exact_time(loop: asyncio.AbstractEventLoop) -> Callable[[], float]:
    """Return what tells a loop's time to the moment; uvloop's `time` says when the present turn began."""
    return loop.time if hasattr(loop, "wall_clock") else time.monotonic


def wall_time() -> Callable[[], float]:
    """Return what tells the time of day in seconds since 1970, by the running loop's clock as `now` does."""
    wall_clock = getattr(asyncio.get_running_loop(), "wall_clock", None)
    return time.time if wall_clock is None else lambda: wall_clock().timestamp()
