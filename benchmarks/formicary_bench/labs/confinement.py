"""Isolates a student's program from the judge, as far as the system can isolate processes of one user.

A program runs with the rights of the user who checks it. It cannot read the judge's memory or open files, and
every process that it starts ends with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

# of <linux/prctl.h> and <linux/capability.h>
_SET_PDEATHSIG, _SET_DUMPABLE, _CAPBSET_DROP, _SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
_CAP_SYS_PTRACE, _CAPABILITY_VERSION_3 = 19, 0x20080522
_SIGNALS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
_ROUNDS = 200  # looks for what is left of a program's processes


def confine() -> None:
    """End this process with its parent, and keep it from inspecting other processes, even as root."""
    if sys.platform != "linux":
        return
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _prctl(_CAPBSET_DROP, _CAP_SYS_PTRACE)  # only root has it
    header, sets = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None)
    if libc.capget(header, sets) == 0:
        for place in range(3):  # effective, permitted, inheritable
            sets[place] &= ~(1 << _CAP_SYS_PTRACE)
        libc.capset(header, sets)


@contextlib.contextmanager
def judging() -> Iterator[None]:
    """Keep other processes from inspecting this one, and kill all that the program has started at the end.

    Until then, SIGINT, SIGTERM and SIGHUP raise an exception, whatever this process waits for.
    """
    import psutil

    before = {child.pid for child in psutil.Process().children()}
    _prctl(_SET_DUMPABLE, 0)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.signal(number, _interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        end_children(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _prctl(_SET_CHILD_SUBREAPER, 0)
        _prctl(_SET_DUMPABLE, 1)


def _interrupt(number: int, _: FrameType | None) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def end_children(but: set[int]) -> None:
    """Kill the descendants of this process, except children in `but`, and wait until they are gone."""
    import psutil

    for _ in range(_ROUNDS):
        left = [child for child in psutil.Process().children() if child.pid not in but]
        if not left:
            return
        for child in left:
            with contextlib.suppress(psutil.Error):
                for each in (*child.children(recursive=True), child):
                    each.kill()
            with contextlib.suppress(OSError):
                os.waitpid(child.pid, os.WNOHANG)
        time.sleep(0.001)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
