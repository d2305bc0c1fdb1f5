"""Profiles of workers: by sampling, or by the clocks of whole processes if sampling is not permitted."""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from formicary.errors import TracingError
from formicary.profiling.model.profile import Method, Process, Profile, Role
from formicary.profiling.sampling import window
from formicary.profiling.sampling.clocks import Clocks

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sampled:
    """A sampled profile, from now until `end`."""

    refused = ""

    def __init__(self, opened: window.Window) -> None:
        self._opened = opened

    def end(self) -> Profile:
        return self._opened.end()


class Unsampled:
    """A profile from now until `end`, only by the operating system's clocks.

    Raises:
        ProfilingError: the process is gone.
    """

    def __init__(self, pid: int, servers: tuple[int, ...], refused: str) -> None:
        self.refused = refused
        self._servers = servers
        self._clocks = Clocks(pid, *servers)
        self._began = time.time()
        self._from = time.monotonic()

    def end(self) -> Profile:
        self._clocks.look()
        return Profile(
            method=Method.SAMPLED,
            host=socket.gethostname(),
            began=self._began,
            window_s=time.monotonic() - self._from,
            processes=tuple(
                Process(
                    pid=used.pid,
                    role=Role.SERVER if used.pid in self._servers else Role.CONTAINER,
                    name=used.name,
                    user_s=used.times.user,
                    system_s=used.times.system,
                )
                for used in self._clocks.used()
            ),
            warnings=(f"CPU time is known by process alone: {self.refused}",),
            is_partial=True,
        )


@contextmanager
def window_on(pid: int, servers: tuple[int, ...]) -> Iterator[Sampled | Unsampled]:
    """Profile a process; leaving the block without `end` discards the profile.

    Raises:
        ProfilingError: the process is gone.
    """
    opened = window.Window(pid, servers=servers)
    try:
        opened.__enter__()
    except TracingError as error:
        yield Unsampled(pid, servers, str(error))
        return
    try:
        yield Sampled(opened)
    finally:
        opened.__exit__()
