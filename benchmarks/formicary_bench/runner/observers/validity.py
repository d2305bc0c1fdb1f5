"""Whether a measurement over hosts is valid: the load of the hosts, and of the controller.

Pure: from two samples of each host. Several hosts may be namespaces of one machine; their counters are then
those of the machine, and all of the run's processes there are its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary_bench.vocabulary.parameters.shared import paced_rate
from formicary_bench.vocabulary.values import LATE, SETTLED, WARM_UP_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from formicary_bench.remote.host_agent.protocol import Looked
    from formicary_bench.vocabulary.configuration import Configuration

SATURATED = 0.8
"""The share of a core above which the controller is too busy to keep time."""

FULL = 0.95
"""The share of a core above which a sender's process is saturated."""

STOLEN, LOADED, THROTTLED = 0.05, 0.15, 0.01
"""The shares of a host's CPU time allowed for other virtual machines and other processes, and the share of
time for which it may be throttled."""

SWAPPED = 1 << 20
"""The bytes that may be swapped meanwhile."""

SHORTEST_S = 0.5
"""The shortest time for which the CPUs' clocks, which count hundredths of a second, are exact enough."""


BEHIND = 0.05
"""The share of an open loop's messages that may be late before its sender counts as saturated."""


@dataclass(frozen=True)
class HostLooks:
    """A host at the start and at the end of the measurement.

    Attributes:
        name: its name.
        first: at the start.
        last: at the end.
        senders: the processes there whose agents send.
    """

    name: str
    first: Looked
    last: Looked
    senders: tuple[int, ...] = ()

    @property
    def seconds(self) -> float:
        """How long it lasted."""
        return (self.last.at_ns - self.first.at_ns) / 1e9

    @property
    def ours_s(self) -> dict[int, float]:
        """The CPU time of each process of the run that existed all the time."""
        first, last = self.first.cpu_s, self.last.cpu_s
        return {pid: last[pid] - first[pid] for pid in first if pid in last}

    def share(self, seconds: float) -> float:
        """Return the share of the host's CPU time that some seconds are."""
        first, last = self.first, self.last
        whole = (last.busy_s - first.busy_s) + (last.idle_s - first.idle_s) + (last.stolen_s - first.stolen_s)
        return seconds / whole if whole > 0 else 0.0


@dataclass(frozen=True)
class Controller:
    """The process that conducts the run.

    Attributes:
        machine: its machine, as of `Looked`.
        cpu_s: its CPU time.
        seconds: the time in which it used that.
    """

    machine: str
    cpu_s: float
    seconds: float


def why_invalid(hosts: Sequence[HostLooks], controller: Controller, *, is_closed: bool) -> list[str]:
    """Return why a measurement is invalid, as sentences without full stop; nothing if it is valid.

    Args:
        hosts: all hosts that took part.
        controller: the process that conducted it.
        is_closed: whether senders wait for answers, and so are as fast as they can be: a saturated sender is
            then part of what is measured.
    """
    found = []
    if controller.seconds > SHORTEST_S and controller.cpu_s > SATURATED * controller.seconds:
        found.append(f"the controller was saturated ({controller.cpu_s / controller.seconds:.0%} of a core)")
    for host in hosts:
        if host.seconds > SHORTEST_S:
            found += _disturbances(host, _ours_s(host, hosts, controller))
            found += [] if is_closed else _saturated(host)
    return found


def why_late(configuration: Configuration, counters: Mapping[str, float]) -> list[str]:
    """Return why an open loop is invalid, as `why_invalid` does: a saturated sender.

    It sent messages when it could, not when they were due, which is another load.
    """
    sent = configuration.exchange.measured * configuration.exchange.load
    late = counters.get(LATE, 0.0)
    if not paced_rate(configuration) or late <= BEHIND * sent:
        return []
    return [f"the sender could not keep its schedule ({late / sent:.0%} of its messages were late)"]


def why_restless(counters: Mapping[str, float]) -> list[str]:
    """Return a remark on a platform that was not warm when it was measured."""
    if counters.get(SETTLED, 1.0):
        return []
    if WARM_UP_SECONDS in counters:
        return [
            "it had not settled when it was measured, so it may be faster than this: close other programs"
        ]
    return ["it was measured cold, as its driver makes one round in a process"]


def taken(host: HostLooks, hosts: Sequence[HostLooks], controller: Controller) -> tuple[float, float]:
    """Return the shares of a host's CPU time taken by other processes and by other virtual machines."""
    first, last = host.first, host.last
    others = host.share(last.busy_s - first.busy_s - _ours_s(host, hosts, controller))
    return max(others, 0.0), max(host.share(last.stolen_s - first.stolen_s), 0.0)


def notes(hosts: Sequence[HostLooks]) -> list[str]:
    """Return remarks on senders in a closed loop."""
    return [f"{said}: this is part of the measurement" for host in hosts for said in _saturated(host)]


def _disturbances(host: HostLooks, ours_s: float) -> Iterator[str]:
    first, last = host.first, host.last
    if last.swapped_bytes - first.swapped_bytes > SWAPPED:
        yield f"host {host.name} swapped memory"
    if (held := (last.throttled_s - first.throttled_s) / host.seconds) > THROTTLED:
        yield f"host {host.name} was throttled ({held:.0%} of the time)"
    if (stolen := host.share(last.stolen_s - first.stolen_s)) > STOLEN:
        yield f"host {host.name} lost {stolen:.0%} of its CPU to other virtual machines"
    if (others := host.share(last.busy_s - first.busy_s - ours_s)) > LOADED:
        yield f"host {host.name} was used by other processes ({others:.0%} of its CPU)"


def _ours_s(host: HostLooks, hosts: Sequence[HostLooks], controller: Controller) -> float:
    """Return the CPU time of all processes of the run on a host's machine."""
    machine = host.last.machine
    used: dict[int, float] = dict(host.ours_s)
    for other in hosts:
        if machine and other.last.machine == machine:
            used |= other.ours_s
    is_here = bool(machine) and controller.machine == machine
    return sum(used.values()) + (controller.cpu_s if is_here else 0.0)


def _saturated(host: HostLooks) -> Iterator[str]:
    for pid in host.senders:
        if host.seconds > 0 and host.ours_s.get(pid, 0.0) > FULL * host.seconds:
            yield f"a sender's process on host {host.name} was saturated"
