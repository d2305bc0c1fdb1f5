"""Wake agents at their time: one timer for any number of them, set from the file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from formicary.core.clock import now
from formicary.core.errors import StoreError
from formicary.core.logs import get_logger
from formicary.core.times import seconds_left

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from formicary.sleeping.store import SleeperStore

logger = get_logger("formicary.sleeping")

_AT_ONCE: Final = 1000  # agents
_SOON: Final = 0.001  # s: an agent that is due at once is due after those that were found before
_LONGEST: Final = 86_400.0  # s between two checks: the clock may be set


def due_time(limit: float | datetime | None) -> float | None:
    """Return when an agent is due, in seconds since 1970; None if only a message wakes it.

    Args:
        limit: as of `check_limit`.
    """
    seconds = seconds_left(limit)
    return None if seconds is None else now().timestamp() + max(seconds, _SOON)


class Alarm:
    """Wakes agents that are due.

    Args:
        store: the file.
        ring: called with their names; call `resume` when they have woken.
    """

    def __init__(self, store: SleeperStore, ring: Callable[[Sequence[str]], None]) -> None:
        self._store = store
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # when it is due, in seconds since 1970
        self._since = (float("-inf"), "")  # time and name of the last agent that was called
        self._has_more = False

    def set(self) -> None:
        """Set the timer from the file."""
        if found := self._due_until(float("inf"), 1):
            self._set(found[0][0])

    def add(self, due: float | None) -> None:
        """Note when an agent is due that sleeps from now on."""
        if due is not None and due <= self._since[0]:
            self._since = (float("-inf"), "")  # the clock was set back
        if due is not None and (self._timer is None or due < self._due):
            self._set(due)

    def resume(self) -> None:
        """Call further agents that were due, if there were too many to call at once."""
        if self._has_more:
            self._has_more = False
            self._call()

    def close(self) -> None:
        """Stop calling agents."""
        self._has_more = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, due: float) -> None:
        self.close()
        time = now().timestamp()
        self._due = min(max(due, time), time + _LONGEST)
        seconds = self._due - time
        self._timer = asyncio.get_running_loop().call_later(seconds, self._call)

    def _call(self) -> None:
        self.close()
        found = self._due_until(now().timestamp(), _AT_ONCE)
        if found is None:
            return
        if found:
            self._since = found[-1]
        self._has_more = len(found) == _AT_ONCE
        self._ring([name for _, name in found])
        if not self._has_more:
            self.set()

    def _due_until(self, until: float, most: int) -> list[tuple[float, str]] | None:
        """Return the next agents that are due, as of `SleeperStore.due`; None if the file cannot be read."""
        try:
            return self._store.due(self._since, until, most)
        except StoreError as error:
            logger.error("sleeping agents will not wake by themselves: %s", error)  # noqa: TRY400
            return None
