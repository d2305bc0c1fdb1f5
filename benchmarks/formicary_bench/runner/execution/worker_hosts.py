"""Where the workers of a repetition run: on this machine, or on other hosts."""

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
    """The machine of the controller, as a host on which workers run."""

    name = ""

    def worker(self) -> Worker:
        """Start a fresh worker."""
        return Worker()

    def window(self, pid: int, servers: tuple[int, ...]) -> AbstractContextManager[Sampled | Unsampled]:
        """Look where a process's CPU time goes; by its clocks alone where nobody may look into it."""
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
    """What a worker of a repetition is to be, and where.

    Attributes:
        role: its part.
        host: where it runs.
        listen: the IP address at which it listens for the others; loopback if empty.
        server: the XMPP server that it connects to, where one takes part.
    """

    role: str
    host: WorkerHost
    listen: str = ""
    server: Server | None = None

    @property
    def label(self) -> str:
        """What it is called in results: its role, and the host where there are several."""
        return f"{self.role}@{self.host.name}" if self.host.name else self.role


_MEASURED_BY_NS = 8  # bytes of a time


def round_trips(
    configuration: Configuration, results: Mapping[int, Result], handed: Mapping[int, int]
) -> tuple[RoundTrips, tuple[int, ...]]:
    """Read what workers have handed over: for each pair all beginnings, then all times.

    Returns:
        The round trips, in the order of the workers, and how many pairs each worker has.

    Raises:
        RepetitionError: they are not as many as there should be.
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
    """Leave out what was never answered, as may be in an open loop."""
    there = data.rtt_ns != LOST
    if there.all():
        return data
    return RoundTrips(*(getattr(data, column.name)[there] for column in fields(data)))


def _pairs_of(configuration: Configuration, worker: int) -> int:
    if configuration.placement == N_HOSTS:
        return senders_of(configuration, worker)
    return configuration.exchange.load


def _values(configuration: Configuration, result: Done, handover: int, pairs: int) -> NDArray[np.int64]:
    """Return by pair when its round trips began since the worker did, and how long they took."""
    import numpy as np

    trips = configuration.exchange.trips
    size = pairs * 2 * trips * _MEASURED_BY_NS
    if set(result.counts) != {trips} or len(result.counts) != pairs or os.fstat(handover).st_size != size:
        raise RepetitionError("the measuring process handed over fewer round trips than it should have made")
    values = np.frombuffer(os.pread(handover, size, 0), dtype=np.int64).reshape(pairs, 2, trips).copy()
    values[:, 0] -= result.began_ns
    return values
