"""The CPU clocks of the process and of its Python threads, from one moment on."""

from __future__ import annotations

import os
import threading
import time
from typing import NamedTuple


class ThreadUse(NamedTuple):
    """The CPU time that a thread has used.

    Attributes:
        tid: the operating system's number of it.
        name: as Python knows it.
        ns: nanoseconds.
    """

    tid: int
    name: str
    ns: int


class ThreadClocks:
    """What the process and its threads have used since this was made, but for one thread.

    A thread that has ended cannot be asked any more, nor one that is not Python's.

    Args:
        but: the thread that is left out, by `threading.get_ident()`.
    """

    def __init__(self, but: int) -> None:
        self._but = but
        self._user, self._system = _process_times()
        self._before = {thread.native_id: ns for thread, ns in self._clocks()}

    def process(self) -> tuple[float, float]:
        """Return the seconds of CPU that the process has used, user and system."""
        user, system = _process_times()
        return user - self._user, system - self._system

    def threads(self) -> list[ThreadUse]:
        """Return what the threads that are there now have used."""
        return [
            ThreadUse(thread.native_id or 0, thread.name, ns - self._before.get(thread.native_id, 0))
            for thread, ns in self._clocks()
        ]

    def _clocks(self) -> list[tuple[threading.Thread, int]]:
        clock_of = getattr(time, "pthread_getcpuclockid", None)  # macOS has none
        if clock_of is None:
            return []
        found = []
        for thread in threading.enumerate():
            if thread.ident is not None and thread.ident != self._but:
                try:
                    found.append((thread, time.clock_gettime_ns(clock_of(thread.ident))))
                except OSError:  # it has just ended
                    continue
        return found


def _process_times() -> tuple[float, float]:
    try:
        import resource
    except ImportError:  # there is none for Windows
        used = os.times()
        return used.user, used.system
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime
