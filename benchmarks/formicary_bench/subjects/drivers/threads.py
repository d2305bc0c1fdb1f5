"""The CPU time of a driver's threads, grouped by their names, as the papers read it."""

from __future__ import annotations

import socket
import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Self

from formicary.profiling.model.groups import Group
from formicary.profiling.model.profile import Account, Method, Process, Profile, Role, Thread
from formicary.profiling.sampling.clocks import Clocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formicary_bench.subjects.drivers.protocol import ThreadGroup

_LONGEST = 15  # characters that Linux keeps of a thread's name


class ThreadAccounting:
    """Accounts for a process's CPU time by the names of its threads; an async context manager.

    Args:
        pid: the process.
        groups: by group, patterns of its threads' names, as in a driver's hello.
    """

    def __init__(self, pid: int, groups: Mapping[ThreadGroup, Sequence[str]]) -> None:
        self._pid = pid
        self._groups = groups

    async def __aenter__(self) -> Self:
        """Begin.

        Raises:
            ProfilingError: the process is gone.
        """
        self._began, self._from = time.time(), time.monotonic()
        self._clocks = Clocks(self._pid)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End; nothing is left open."""

    def profile(self) -> Profile:
        """Return what the threads have used since."""
        self._clocks.look()
        lasted = time.monotonic() - self._from
        processes = []
        for used in self._clocks.used():
            threads = tuple(Thread(tid, of.name, "native", of.cpu_s) for tid, of in used.threads.items())
            accounts = [Account(one.tid, group_of(one.name, self._groups), one.cpu_s) for one in threads]
            # Virtual machines start and end threads as they need them.
            ended = Account(0, Group.RUNTIME, max(0.0, sum(used.times) - sum(one.cpu_s for one in threads)))
            processes.append(
                Process(
                    used.pid, Role.CONTAINER, used.name, *used.times, threads, accounts=(*accounts, ended)
                )
            )
        return Profile(
            method=Method.THREADS,
            host=socket.gethostname(),
            began=self._began,
            window_s=lasted,
            processes=tuple(processes),
            warnings=(_WARNING,),
        )


_WARNING = "CPU time is by thread: what agents call counts as theirs"


def group_of(name: str, groups: Mapping[ThreadGroup, Sequence[str]]) -> str:
    """Return the group of a thread by its name, which the system may have cut."""
    for group, patterns in groups.items():
        if any(fnmatchcase(name, one) or fnmatchcase(name, one[:_LONGEST]) for one in patterns):
            return group
    return Group.PLATFORM
