"""Samples the hosts of a repetition when its window begins and ends, whatever else is measured."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from formicary_bench.remote.host_agent import counters
from formicary_bench.results.summary.hosts import MACHINES
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.runner.observers.validity import Controller, HostLooks, notes, taken, why_invalid
from formicary_bench.vocabulary.places import ASK, BOTH, CREATE, MEMBER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary_bench.remote.host_agent.protocol import Looked
    from formicary_bench.runner.execution.worker_hosts import WorkerHost
    from formicary_bench.runner.observers.observer import PlacedWorker
    from formicary_bench.worker.messages import Accounted, Mark

_SENDING = {ASK, MEMBER, BOTH, CREATE}


class HostObserver(Observer):
    """Forwards everything to another observer, and samples the hosts meanwhile."""

    marks = True

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._workers: dict[str, PlacedWorker] = {}
        self._looks: list[dict[str, Looked]] = []
        self._own: list[tuple[float, float]] = []  # our CPU time, and when

    def begin(self, workers: Mapping[str, PlacedWorker]) -> None:
        """Keep the workers to sample."""
        self._workers = dict(workers)
        self._observer.begin(workers)

    def advance(self, done: int, at_ns: int) -> None:
        self._observer.advance(done, at_ns)

    def mark(self, mark: Mark) -> None:
        self._look()
        self._observer.mark(mark)

    def heard(self, worker: str, report: Accounted) -> None:
        self._observer.heard(worker, report)

    def give_up(self) -> None:
        self._observer.give_up()

    def hosts(self) -> list[HostLooks]:
        """Return both samples of each host; nothing if either is missing."""
        if len(self._looks) != 2:  # noqa: PLR2004 -- begin and end
            return []
        first, last = self._looks
        return [HostLooks(name, first[name], last[name], self._senders(name)) for name in first]

    def why_invalid(self) -> list[str]:
        """Return why the measurement is invalid; all loads of the laboratory are closed loops."""
        if not self.hosts():
            return []
        return why_invalid(self.hosts(), self._controller(), is_closed=True)

    def notes(self) -> list[str]:
        """Return what a reader should know."""
        return notes(self.hosts())

    def counters(self) -> dict[str, float]:
        """Return the counters of each host, by name and host."""
        hosts = self.hosts()
        found = {MACHINES: float(len({host.last.machine for host in hosts}))} if hosts else {}
        for host in hosts:
            first, last = host.first, host.last
            others, stolen = taken(host, hosts, self._controller())
            found |= {
                f"host@{host.name} others": others,
                f"host@{host.name} stolen": stolen,
                f"host@{host.name} seconds": host.seconds,
                f"host@{host.name} busy": host.share(last.busy_s - first.busy_s),
                f"host@{host.name} wire bytes": float(last.wire_bytes - first.wire_bytes),
                f"host@{host.name} wire packets": float(last.wire_packets - first.wire_packets),
                f"host@{host.name} loopback bytes": float(last.loopback_bytes - first.loopback_bytes),
            }
            for process, pid in self._processes(host.name).items():
                if pid in host.ours_s and host.seconds > 0:
                    found[f"{process} cores"] = host.ours_s[pid] / host.seconds
                    found[f"{process} bytes"] = float(last.uss_bytes.get(pid, 0))
        return found

    def _controller(self) -> Controller:
        (cpu_s, began), (cpu_end_s, ended) = self._own
        return Controller(counters.machine(), cpu_end_s - cpu_s, ended - began)

    def _look(self) -> None:
        self._own.append((time.process_time(), time.monotonic()))
        self._looks.append(
            {
                name: place.look(tuple(self._processes(name).values()))
                for name, place in self._places().items()
            }
        )

    def _places(self) -> dict[str, WorkerHost]:
        return {slot.host.name: slot.host for slot, _ in self._workers.values()}

    def _senders(self, host: str) -> tuple[int, ...]:
        return tuple(
            process.pid
            for slot, process in self._workers.values()
            if slot.host.name == host and slot.role in _SENDING
        )

    def _processes(self, host: str) -> dict[str, int]:
        """Return the process ids on a host: of the workers, by their labels, and of the server there."""
        found = {}
        for label, (slot, process) in self._workers.items():
            if slot.host.name == host:
                found[label] = process.pid
                if slot.server and slot.server.pid:
                    found[f"server@{host}"] = slot.server.pid
        return found
