"""The CPU time of processes and threads over a window, as the operating system counts it, by psutil."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import psutil

from formicary.core.errors import ProfilingError


class Times(NamedTuple):
    """CPU time so far, in seconds."""

    user: float
    system: float


class ThreadUse(NamedTuple):
    """CPU time of a thread within the window.

    Attributes:
        name: its name in the operating system.
        cpu_s: seconds of CPU.
        lived_s: seconds of the window during which it existed.
        switches: voluntary context switches; 0 where they are not counted.
    """

    name: str
    cpu_s: float
    lived_s: float = 0.0
    switches: int = 0


@dataclass
class _Watched:
    process: psutil.Process
    name: str
    first: Times
    last: Times
    first_of: dict[int, float]
    last_of: dict[int, float] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    seen_first: dict[int, float] = field(default_factory=dict)
    seen_last: dict[int, float] = field(default_factory=dict)
    first_switches: dict[int, int] = field(default_factory=dict)
    last_switches: dict[int, int] = field(default_factory=dict)
    is_gone: bool = False


@dataclass(frozen=True)
class ProcessUse:
    """CPU time of a process within the window.

    Attributes:
        pid: the process.
        name: its program's.
        times: seconds in user mode and in the kernel.
        threads: those whose clocks could be read, by ID, including those that have ended since.
        is_gone: whether it ended within the window: the figures are from the last reading before.
    """

    pid: int
    name: str
    times: Times
    threads: dict[int, ThreadUse]
    is_gone: bool


class Clocks:
    """Reads the clocks of processes and their children.

    The window begins with the object. Later children count from their start.

    Raises:
        ProfilingError: there is no such process, or access is denied.
    """

    def __init__(self, *pids: int) -> None:
        self._watched: dict[int, _Watched] = {}
        self._roots = []
        for pid in pids:
            try:
                process = psutil.Process(pid)
                self._watch(process, is_new=False)
            except psutil.AccessDenied as error:
                raise ProfilingError(
                    f"process {pid} belongs to another user; profile it as that user"
                ) from error
            except psutil.Error as error:
                raise ProfilingError(f"no process {pid}; list processes with: formicary ps, or ps") from error
            self._roots.append(process)
        self._look_for_children(are_new=False)

    def look(self) -> bool:
        """Read the clocks; return whether one of `pids` still runs. Call it several times a second."""
        self._look_for_children(are_new=True)
        for watched in self._watched.values():
            if not watched.is_gone:
                _read(watched)
        return any(not self._watched[root.pid].is_gone for root in self._roots)

    def used(self) -> list[ProcessUse]:
        """Return the usage from the start to the last reading."""
        return [_used(watched) for watched in self._watched.values()]

    def _look_for_children(self, *, are_new: bool) -> None:
        for root in self._roots:
            try:
                children = root.children(recursive=True)
            except psutil.Error:
                continue
            for child in children:
                if child.pid not in self._watched:
                    try:
                        self._watch(child, is_new=are_new)
                    except psutil.Error:  # it has ended already: too short to matter
                        continue

    def _watch(self, process: psutil.Process, *, is_new: bool) -> None:
        watched = _Watched(process, process.name(), Times(0, 0), Times(0, 0), {})
        _read(watched)
        if watched.is_gone:
            raise psutil.NoSuchProcess(process.pid)
        if not is_new:
            watched.first = watched.last
            watched.first_of = dict(watched.last_of)
            watched.first_switches = dict(watched.last_switches)
        self._watched[process.pid] = watched


def tick_s() -> float:
    """Return the resolution of the clocks in seconds."""
    return 1 / os.sysconf("SC_CLK_TCK") if sys.platform == "linux" else 0.001


def _read(watched: _Watched) -> None:
    process = watched.process
    try:
        with process.oneshot():
            if process.status() == psutil.STATUS_ZOMBIE:
                watched.is_gone = True
                return
            times = process.cpu_times()
            watched.last = Times(times.user, times.system)
    except psutil.AccessDenied:
        raise
    except psutil.Error:
        watched.is_gone = True
        return
    now = time.monotonic()
    with suppress(psutil.Error):  # its threads are not visible
        for thread in process.threads():
            ticks = thread.user_time + thread.system_time
            nanoseconds = _first_number(
                _task_file(process.pid, thread.id, "schedstat")
            )  # the scheduler's clock
            watched.last_of[thread.id] = nanoseconds / 1e9 or ticks
            watched.seen_first.setdefault(thread.id, now)
            watched.seen_last[thread.id] = now
            status = _task_file(process.pid, thread.id, "status")
            switches = status.partition(b"\nvoluntary_ctxt_switches:")[2]
            watched.last_switches[thread.id] = _first_number(switches)
            if thread.id not in watched.names:
                name = _task_file(process.pid, thread.id, "comm")
                watched.names[thread.id] = name.decode(errors="replace").strip()


def _task_file(pid: int, tid: int, name: str) -> bytes:
    """Return what Linux says of a thread; empty elsewhere, and if it has ended."""
    try:
        with open(f"/proc/{pid}/task/{tid}/{name}", "rb") as file:  # noqa: PTH123 -- thousands a second
            return file.read()
    except OSError:
        return b""


def _first_number(text: bytes) -> int:
    numbers = text.split(maxsplit=1)
    return int(numbers[0]) if numbers else 0


def _used(watched: _Watched) -> ProcessUse:
    first, last = watched.first, watched.last
    return ProcessUse(
        watched.process.pid,
        watched.name,
        Times(max(0.0, last.user - first.user), max(0.0, last.system - first.system)),
        {
            tid: ThreadUse(
                watched.names[tid],
                max(0.0, seconds - watched.first_of.get(tid, 0.0)),
                watched.seen_last[tid] - watched.seen_first[tid],
                max(0, watched.last_switches[tid] - watched.first_switches.get(tid, 0)),
            )
            for tid, seconds in watched.last_of.items()
        },
        watched.is_gone,
    )
