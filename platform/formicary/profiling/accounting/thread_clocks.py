"""CPU clocks of the process and its Python threads, from one moment on."""

from __future__ import annotations

import os
import threading
import time
from typing import NamedTuple


class ThreadUse(NamedTuple):
    """The CPU time of a thread.

    Attributes:
        tid: its thread ID in the operating system.
        name: its name in Python.
        ns: nanoseconds.
    """

    tid: int
    name: str
    ns: int


class ThreadClocks:
    """CPU time of the process and its threads, except one, since this was created.

    Threads that have ended, or that are not Python's, cannot be read.

    Args:
        but: the excluded thread, by `threading.get_ident()`.
    """

    def __init__(self, but: int) -> None:
        self._but = but
        self._user, self._system = _process_times()
        self._before = {thread.native_id: ns for thread, ns in self._clocks()}

    def process(self) -> tuple[float, float]:
        """Return the CPU seconds of the process, user and system."""
        user, system = _process_times()
        return user - self._user, system - self._system

    def threads(self) -> list[ThreadUse]:
        """Return the CPU time of the current threads."""
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
                except OSError:  # the thread has just ended
                    continue
        return found


def _process_times() -> tuple[float, float]:
    try:
        import resource
    except ImportError:  # not available on Windows
        used = os.times()
        return used.user, used.system
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime
