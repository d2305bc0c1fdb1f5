"""The cost of processes and servers on each host while all members talk: `messaging/scale-out`.

Each host's counters are read when all pairs of all members have entered T2, and when the first one leaves it.
CPU time is divided by the time between the two readings of the same host, so clocks of hosts are not mixed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments.messaging import scale_out
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.runner.execution.repetition import measure
from formicary_bench.runner.observers.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary_bench.remote.host_agent.protocol import Looked
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.store.raw import AnyRaw
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import PlacedWorker, ProgressListener
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric
    from formicary_bench.worker.messages import Mark


AGENTS, SERVER, HOST = "agents", "server", "host"
"""Prefixes of counters: `agents@a cores` is the number of cores that host a's agents keep busy."""

_MESSAGES = 2  # of a round trip
_US = 1e6


def _costs(
    configuration: Configuration, repetition: Repetition, measured: Exchanged
) -> dict[Metric, float | None]:
    """Return the cost of a message; empty if the rate is unknown. Links use no server."""
    counters, messages = repetition.counters, _MESSAGES * (measured.load.rate or 0.0)
    if not messages:
        return {}
    agents = _sum(_all(counters, AGENTS, "cores"), messages / _US)
    is_through_server = configuration.route == "xmpp"
    servers = _sum(_all(counters, SERVER, "cores"), messages / _US) if is_through_server else None
    # A link uses no server; if a server in use is not counted, the total is unknown.
    rest = servers if is_through_server else 0.0
    return {
        scale_out.AGENTS_CPU: agents,
        scale_out.SERVERS_CPU: servers,
        scale_out.WHOLE_CPU: agents + rest if agents is not None and rest is not None else None,
        scale_out.BUSIEST: max(_all(counters, HOST, "busy"), default=None),
        scale_out.AGENTS_HOLD: _mean(_all(counters, AGENTS, "bytes")),
        scale_out.SERVER_HOLDS: _mean(_all(counters, SERVER, "bytes")),
        scale_out.WIRE: _sum(_all(counters, HOST, "wire bytes/s"), messages),
    }


SUMMARY = exchanges(_costs)


def _all(counters: dict[str, float], who: str, what: str) -> list[float]:
    """Return the sum of a counter over the hosts that have it."""
    return [
        value
        for name, value in counters.items()
        if name.startswith(f"{who}@") and name.endswith(f" {what}") and math.isfinite(value)
    ]


def _sum(values: list[float], by: float) -> float | None:
    return math.fsum(values) / by if values else None


def _mean(values: list[float]) -> float | None:
    there = [value for value in values if value]
    return math.fsum(there) / len(there) if there else None


class HostSampler(Observer):
    """Reads the counters of all hosts when T2 begins and when it ends."""

    marks = True

    def __init__(self) -> None:
        self._workers: tuple[PlacedWorker, ...] = ()
        self._kept: list[list[Looked]] = []

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Set the processes to watch."""
        self._workers = tuple(workers.values())

    def mark(self, mark: Mark) -> None:  # noqa: ARG002 -- as of Observer
        """Read the counters of all hosts."""
        self._kept.append([one.slot.host.look(_watched(one)) for one in self._workers])

    def counters(self) -> dict[str, float]:
        """Return the counters by kind and host; empty unless both readings were taken."""
        if len(self._kept) != 2:  # noqa: PLR2004 -- begin and end
            return {}
        found: dict[str, float] = {}
        for worker, first, last in zip(self._workers, *self._kept, strict=True):
            host = worker.slot.host.name
            for who, pid in zip((AGENTS, SERVER), _watched(worker), strict=False):
                found |= _of_process(f"{who}@{host}", pid, first, last)
            found |= _of_host(host, first, last)
        return found


def measure_scale_out(task: Task, listener: ProgressListener) -> tuple[Repetition, AnyRaw]:
    """Measure once, in fresh processes that have ended when this returns.

    Raises:
        RepetitionError: it failed.
    """
    sampler = HostSampler()
    known, data = measure(task, listener, observer=sampler)
    return replace(known, counters=known.counters | sampler.counters()), data


def _watched(worker: PlacedWorker) -> tuple[int, ...]:
    """Return the processes to watch on a worker's host: the worker and the server there."""
    server = worker.slot.server
    return worker.process.pid, *((server.pid,) if server and server.pid else ())


def _of_process(name: str, pid: int, first: Looked, last: Looked) -> dict[str, float]:
    if pid not in first.cpu_s or pid not in last.cpu_s or last.at_ns <= first.at_ns:
        return {}
    share = (last.cpu_s[pid] - first.cpu_s[pid]) * 1e9 / (last.at_ns - first.at_ns)
    return {f"{name} cores": share, f"{name} bytes": float(last.uss_bytes.get(pid, 0))}


def _of_host(name: str, first: Looked, last: Looked) -> dict[str, float]:
    seconds = (last.at_ns - first.at_ns) / 1e9
    used, idle = last.busy_s - first.busy_s, last.idle_s - first.idle_s
    if seconds <= 0 or used + idle <= 0:
        return {}
    return {
        f"host@{name} seconds": seconds,
        f"host@{name} busy": used / (used + idle),
        f"host@{name} wire bytes/s": (last.wire_bytes - first.wire_bytes) / seconds,
    }
