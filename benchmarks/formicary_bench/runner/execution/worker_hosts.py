"""Where workers run, on this machine or on other hosts; and their round trips."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from formicary_bench.results.store.raw import COOL_DOWN, MEASURED, WARM_UP, RoundTrips
from formicary_bench.runner import RepetitionError
from formicary_bench.vocabulary.places import N_HOSTS
from formicary_bench.vocabulary.values import LOST
from formicary_bench.worker.messages import Done
from formicary_bench.worker.processes import Worker
from formicary_bench.worker.workload import senders_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from formicary_bench.remote.host_agent.protocol import Looked
    from formicary_bench.remote.workers import RemoteHost, RemoteWindow, RemoteWorker
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.messages import Result, Server
    from formicary_bench.worker.windows import Sampled, Unsampled

    WorkerProcess = Worker | RemoteWorker

    Window = Sampled | Unsampled | RemoteWindow


class LocalHost:
    """This machine, as a host of workers."""

    name = ""

    def worker(self) -> Worker:
        """Start a fresh worker."""
        return Worker()

    def window(self, pid: int, servers: tuple[int, ...]) -> AbstractContextManager[Sampled | Unsampled]:
        """Profile a process, by its clocks alone if it may not be sampled."""
        from formicary_bench.worker.windows import window_on

        return window_on(pid, servers)

    def look(self, pids: tuple[int, ...] = ()) -> Looked:
        """Read the machine's counters."""
        from formicary_bench.remote.host_agent.counters import look

        return look("", pids)


if TYPE_CHECKING:
    WorkerHost = LocalHost | RemoteHost


@dataclass(frozen=True)
class WorkerSlot:
    """A worker of a repetition.

    Attributes:
        role: its role.
        host: its host.
        listen: the IP address at which it listens for the others; loopback if empty.
        server: its XMPP server, if one takes part.
    """

    role: str
    host: WorkerHost
    listen: str = ""
    server: Server | None = None

    @property
    def label(self) -> str:
        """Its name in results: its role, with the host if there are several."""
        return f"{self.role}@{self.host.name}" if self.host.name else self.role


_MEASURED_BY_NS = 8  # bytes of a time


def round_trips(
    configuration: Configuration, results: Mapping[int, Result], handed: Mapping[int, int]
) -> tuple[RoundTrips, tuple[int, ...]]:
    """Read workers' raw values: for each pair all beginnings, then all times.

    Returns:
        The round trips, in the order of the workers, and each worker's number of pairs.

    Raises:
        RepetitionError: some are missing.
    """
    import numpy as np

    parts = []
    for worker, result in sorted(results.items()):
        assert isinstance(result, Done)
        pairs = _pairs_of(configuration, worker)
        parts.append((_values(configuration, result, handed[worker], pairs), pairs))
    rounds = configuration.exchange.rounds
    trips = sum(rounds)
    values = np.concatenate([values for values, _ in parts])
    phases = np.repeat(
        np.array([WARM_UP, MEASURED, COOL_DOWN], dtype=np.int8),
        rounds,
    )
    data = RoundTrips(
        pair=np.repeat(np.arange(len(values), dtype=np.int32), trips),
        index=np.tile(np.arange(trips, dtype=np.int32), len(values)),
        start_ns=values[:, 0].ravel(),
        rtt_ns=values[:, 1].ravel(),
        phase=np.tile(phases, len(values)),
    )
    return _answered(data), tuple(pairs for _, pairs in parts)


def _answered(data: RoundTrips) -> RoundTrips:
    """Leave out what was not answered, in an open loop."""
    there = data.rtt_ns != LOST
    if there.all():
        return data
    return RoundTrips(*(getattr(data, column.name)[there] for column in fields(data)))


def _pairs_of(configuration: Configuration, worker: int) -> int:
    if configuration.placement == N_HOSTS:
        return senders_of(configuration, worker)
    return configuration.exchange.load


def _values(configuration: Configuration, result: Done, handover: int, pairs: int) -> NDArray[np.int64]:
    """Return by pair the beginnings of round trips, since the worker's, and their durations."""
    import numpy as np

    trips = configuration.exchange.trips
    size = pairs * 2 * trips * _MEASURED_BY_NS
    if set(result.counts) != {trips} or len(result.counts) != pairs or os.fstat(handover).st_size != size:
        raise RepetitionError("the measuring process handed over fewer round trips than it should have made")
    values = np.frombuffer(os.pread(handover, size, 0), dtype=np.int64).reshape(pairs, 2, trips).copy()
    values[:, 0] -= result.began_ns
    return values
