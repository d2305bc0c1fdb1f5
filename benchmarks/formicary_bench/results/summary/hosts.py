"""The CPU, interface and processes of each host while all pairs were measured together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.estimates import Estimate, mean_estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.store.model import Repetition

MACHINES = "machines"
"""The counter of how many machines the hosts are, which may be namespaces of one."""

_HOST = "host@"


class ProcessEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """A process of the run.

    Attributes:
        name: the worker's role, or `server`.
        cores: the cores that it kept busy.
        bytes: its own memory at the end of the window.
    """

    name: str
    cores: Estimate
    bytes: Estimate


class HostEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """A host.

    Attributes:
        name: its name.
        busy: the share of its CPU time used by all processes.
        wire_bytes_per_s: bytes per second sent and received by its interface.
        wire_packets_per_s: packets, likewise.
        loopback_bytes_per_s: bytes per second between its own processes.
        processes: the run's processes there.
    """

    name: str
    busy: Estimate
    wire_bytes_per_s: Estimate
    wire_packets_per_s: Estimate
    loopback_bytes_per_s: Estimate
    processes: tuple[ProcessEstimates, ...] = ()


def host_estimates(repetitions: Sequence[Repetition]) -> tuple[HostEstimates, ...]:
    """Compute the figures of the hosts of a configuration; empty on one machine."""
    known = [one.counters for one in repetitions]
    names = dict.fromkeys(name for counters in known for name in _names(counters))
    return tuple(found for name in names if (found := _host(name, known)) is not None)


def _names(counters: dict[str, float]) -> list[str]:
    end = " wire packets"
    return [key[len(_HOST) : -len(end)] for key in counters if key.startswith(_HOST) and key.endswith(end)]


def _host(name: str, known: Sequence[dict[str, float]]) -> HostEstimates | None:
    key = f"{_HOST}{name} "
    sound = [counters for counters in known if counters.get(f"{key}seconds", 0) > 0]
    if not sound:
        return None

    def figure(value: Callable[[dict[str, float]], float]) -> Estimate:
        return mean_estimate([value(counters) for counters in sound])

    def rate(what: str) -> Estimate:
        return figure(lambda counters: counters.get(f"{key}{what}", 0.0) / counters[f"{key}seconds"])

    return HostEstimates(
        name=name,
        busy=figure(lambda counters: counters.get(f"{key}busy", 0.0)),
        wire_bytes_per_s=rate("wire bytes"),
        wire_packets_per_s=rate("wire packets"),
        loopback_bytes_per_s=rate("loopback bytes"),
        processes=tuple(_processes(name, sound)),
    )


def _processes(host: str, known: Sequence[dict[str, float]]) -> list[ProcessEstimates]:
    end = f"@{host} cores"
    labels = dict.fromkeys(
        key[: -len(" cores")] for counters in known for key in counters if key.endswith(end)
    )
    found = []
    for label in labels:
        there = [counters for counters in known if f"{label} cores" in counters]
        cores, sizes = ([one.get(f"{label} {what}", 0.0) for one in there] for what in ("cores", "bytes"))
        name = label.partition("@")[0]
        found.append(ProcessEstimates(name=name, cores=mean_estimate(cores), bytes=mean_estimate(sizes)))
    return found
