"""Slow down Python's garbage collector while many agents are created: most new objects stay.

At its usual pace it checks all of them again and again, which takes as long as waking the agents.
"""

from __future__ import annotations

import gc
from threading import Lock
from typing import Final

_EVERY: Final = 5000  # new objects between two collections


class Collector:
    """Sets the pace of the process's garbage collector."""

    def __init__(self) -> None:
        self._lock = Lock()  # there may be containers in several threads
        self._slowed = 0  # how many callers want it slow
        self._usual: tuple[int, int, int] | None = None

    def slow_down(self) -> None:
        """Collect less often until `restore` was called as often as this; do nothing if it is off."""
        with self._lock:
            self._slowed += 1
            usual = gc.get_threshold()
            if self._slowed == 1 and 0 < usual[0] < _EVERY:
                self._usual = usual
                gc.set_threshold(_EVERY, *usual[1:])

    def restore(self) -> None:
        """Collect as often as before, unless somebody else has changed that meanwhile."""
        with self._lock:
            self._slowed -= 1
            if self._slowed or self._usual is None:
                return
            if gc.get_threshold() == (_EVERY, *self._usual[1:]):
                gc.set_threshold(*self._usual)
            self._usual = None


COLLECTOR: Final = Collector()
"""The only instance in a process."""
