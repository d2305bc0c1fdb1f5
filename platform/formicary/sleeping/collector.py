"""Slow down Python's garbage collector while many agents are made: most of what is new stays.

At its usual pace it goes through all that has been made again and again, which takes as long as waking.
"""

from __future__ import annotations

import gc
from threading import Lock
from typing import Final

_EVERY: Final = 5000  # new objects between two looks


class Collector:
    """The pace of the garbage collector, of which there is one in a process."""

    def __init__(self) -> None:
        self._lock = Lock()  # there may be containers in several threads
        self._slowed = 0  # by so many
        self._usual: tuple[int, int, int] | None = None

    def slow_down(self) -> None:
        """Collect less often until `restore` was called as often as this; not where it is off."""
        with self._lock:
            self._slowed += 1
            usual = gc.get_threshold()
            if self._slowed == 1 and 0 < usual[0] < _EVERY:
                self._usual = usual
                gc.set_threshold(_EVERY, *usual[1:])

    def restore(self) -> None:
        """Collect as often as before, unless somebody else has set that meanwhile."""
        with self._lock:
            self._slowed -= 1
            if self._slowed or self._usual is None:
                return
            if gc.get_threshold() == (_EVERY, *self._usual[1:]):
                gc.set_threshold(*self._usual)
            self._usual = None


COLLECTOR: Final = Collector()
"""The one of this process."""
