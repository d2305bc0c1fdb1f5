"""The CPU time of whole processes, where nobody may look into them."""

from __future__ import annotations

import socket
import time

from formicary.profiling.clocks import Clocks
from formicary.profiling.model import Method, Process, Profile, Role


class Unsampled:
    """Measures a process, from now until `end`, by the operating system's clocks alone.

    Args:
        pid: the process.
        servers: the XMPP server's processes.
        reason: why it is not looked into, for whoever reads the figures.

    Raises:
        ProfilingError: the process is not there.
    """

    def __init__(self, pid: int, servers: tuple[int, ...], reason: str) -> None:
        self._servers = servers
        self._reason = reason
        self._clocks = Clocks(pid, *servers)
        self._began = time.time()
        self._from = time.monotonic()

    def end(self) -> Profile:
        """Return what was used."""
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
            warnings=(f"CPU time is known by process alone: {self._reason}",),
            is_partial=True,
        )
