"""What a worker counts while all pairs are in T2 together: bytes on its sockets, and its own CPU time."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import struct
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from formicary.errors import UsageError
from formicary_bench.worker.messages import Accounted, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary import Container
    from formicary.profiling.accounting.accounting import Accounting
    from formicary.profiling.accounting.calibration import Costs
    from formicary.profiling.model.profile import Profile
    from formicary_bench.worker.messages import Server
    from formicary_bench.worker.workload import Workload


class CpuAccounts:
    """Accounts from one order of the controller to the next."""

    def __init__(self) -> None:
        self._containers: set[Container] = set()
        self._accounting: Accounting | None = None
        self._costs: Costs | None = None
        self._frozen: Profile | None = None

    @contextmanager
    def following(self) -> Iterator[None]:
        """Note which containers are opened and closed within the block."""
        from formicary.container.following import following

        with following(self._opened, self._closing):
            yield

    async def obey(self, step: str) -> Accounted:
        """Do a step, and say what comes of it; whatever goes wrong, what is measured goes on."""
        steps = {"prepare": self._prepare, "begin": self._begin, "end": self._end}
        try:
            return Accounted(step, await steps[step]())
        except Exception as error:  # noqa: BLE001 -- as said
            return Accounted(step, failed=str(error).rstrip("."))

    def freeze(self) -> None:
        """Take what was found until now for all: what is measured ends here."""
        if self._accounting is not None:
            self._frozen = self._accounting.profile()

    async def _prepare(self) -> None:
        from formicary.profiling.accounting.accounting import costs_of_borders

        self._costs = await costs_of_borders()

    async def _begin(self) -> None:
        from formicary.profiling.accounting.accounting import accounting

        containers = sorted(self._containers, key=lambda container: container.name)
        self._accounting = await accounting(*containers, costs=self._costs).__aenter__()

    async def _end(self) -> Profile:
        if self._accounting is None:
            raise UsageError("it had not begun")
        accounting, self._accounting = self._accounting, None
        await accounting.__aexit__(None, None, None)
        return self._frozen or accounting.profile()

    async def _opened(self, container: Container) -> None:
        self._containers.add(container)

    async def _closing(self, container: Container) -> None:
        self._containers.discard(container)


_OPEN = Path("/proc/self/fd")
# `struct tcp_info` of Linux: tcpi_bytes_acked and tcpi_bytes_received, since 4.1.
_COUNTED = struct.Struct("=QQ")
_OFFSET = 120


class Carried(NamedTuple):
    """Bytes that TCP has carried, without its headers; all zero where that is not known.

    Attributes:
        to_server: what the XMPP server has acknowledged.
        from_server: what it has sent.
        to_others: what all others have acknowledged.
        from_others: what they have sent.
    """

    to_server: int = 0
    from_server: int = 0
    to_others: int = 0
    from_others: int = 0


def carried(server: Server | None) -> Carried:
    """Return what the connections that this process has open have carried until now."""
    if not sys.platform.startswith("linux"):
        return Carried()
    ports = {server.port, server.client_port} if server else set()
    total = Carried()
    for port, sent, received in _connections():
        of_it = (sent, received, 0, 0) if port in ports else (0, 0, sent, received)
        total = Carried(*map(sum, zip(total, of_it, strict=True)))
    return total


def _connections() -> Iterator[tuple[int, int, int]]:
    """Yield the peer's port, and the bytes sent and received, of each TCP connection of this process."""
    for entry in _OPEN.iterdir():
        with suppress(OSError):  # one is that of the list itself
            if not stat.S_ISSOCK(entry.stat().st_mode):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as found:
                if found.family not in {socket.AF_INET, socket.AF_INET6} or found.type != socket.SOCK_STREAM:
                    continue
                port = found.getpeername()[1]
                info = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _OFFSET + _COUNTED.size)
            if len(info) == _OFFSET + _COUNTED.size:
                yield port, *_COUNTED.unpack_from(info, _OFFSET)


_SECONDS_BETWEEN_LOOKS = 0.002  # a thousandth of a window of a second or two; a look at 100 pairs takes 10 µs
_LOOPBACK = ("lo", "lo0")


async def mark_window(work: Workload, say: Callable[[Mark], None]) -> None:
    """Report when all pairs have entered T2, and when the first one has left it.

    Nothing is said of a window that there was not.

    Args:
        work: whose round trips are looked at.
        say: called at each of the two moments.
    """
    first = work.exchange.warm_up
    last = first + work.exchange.measured
    times = [times.rtts for times in work.times]
    wire_counters()  # loads what reads them
    while min(map(len, times)) < first or not any(times):  # noqa: ASYNC110 -- pairs must not know of it
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    if max(map(len, times)) >= last:
        return
    say(mark_now(work, begins=True))
    while max(map(len, times)) < last:  # noqa: ASYNC110 -- as above
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    say(mark_now(work, begins=False))


def wire_counters() -> tuple[int, int]:
    """Return the bytes and packets that the loopback interface has carried; zeros where that is not known."""
    import psutil

    interfaces = psutil.net_io_counters(pernic=True)
    for name in _LOOPBACK:
        if name in interfaces:
            return interfaces[name].bytes_sent, interfaces[name].packets_sent
    return 0, 0


def mark_now(work: Workload, *, begins: bool) -> Mark:
    """Return what is to be said of this moment."""
    return Mark(begins, work.done(), perf_counter_ns(), wire_counters(), carried(work.job.server))
