"""Bytes and packets on the wire while all pairs are in T2 together, and how rows are made of them.

The workers read the counters of the loopback interface themselves when T2 begins and ends, so bytes and
messages are counted over the same time. Over hosts the interfaces between them are read at the same moments
by the host agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments import network
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.runner.execution.own_network import SHARED, has_own_network
from formicary_bench.runner.execution.repetition import measure
from formicary_bench.runner.forecast.default_durations import of_exchange
from formicary_bench.runner.observers.profiled import Marks, counters

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.store.raw import AnyRaw
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.forecast.default_durations import DefaultDuration
    from formicary_bench.runner.observers.observer import ProgressListener
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric


_BESIDE_S = 0.8


def measure_network(task: Task, listener: ProgressListener) -> tuple[Repetition, AnyRaw]:
    """Measure once, in fresh processes that have ended when this returns.

    Raises:
        RepetitionError: it failed.
    """
    marks = Marks()
    known, data = measure(task, listener, observer=marks)
    counted = counters(marks.kept)
    if any(slot.host.name for slot in task.slots):
        counted |= between_hosts(known, counted)
        return replace(known, counters=known.counters | counted), data
    notes = () if has_own_network() else (SHARED,)
    return replace(known, counters=counted, notes=(*known.notes, *notes)), data


def between_hosts(known: Repetition, counted: dict[str, float]) -> dict[str, float]:
    """Return the traffic between hosts; each byte and packet is counted by two of them.

    Round trips are those of all workers at the rate of the whole window; a worker knows only its own.
    """
    if not counted:
        return {}
    names = ("wire bytes", "wire packets")
    bytes_, packets = (
        sum(value for key, value in known.counters.items() if key.startswith("host@") and key.endswith(name))
        for name in names
    )
    return {
        "round_trips": (known.rate or 0.0) * counted["seconds"],
        "wire_bytes": bytes_ / 2,
        "wire_packets": packets / 2,
    }


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition, with the reading of counters."""
    return of_exchange(one, begin + _BESIDE_S)


_BITS = 8  # of a byte
_MESSAGES = 2  # of a round trip
_SERVERS = ("to_server", "from_server")
_CARRIED = (*_SERVERS, "to_others", "from_others")  # by TCP connections, as of `engine.sockets`
_NEEDED = ("seconds", "round_trips", "wire_bytes", "wire_packets")


def on_the_wire(
    configuration: Configuration, repetition: Repetition, _: Exchanged
) -> dict[Metric, float | None]:
    """Return the figures of the wire; empty unless every counter was read.

    If connections are not counted one by one, all traffic of the route `xmpp` counts as the server's, and no
    other.
    """
    counters = repetition.counters
    if not all(counters.get(name, 0) > 0 for name in _NEEDED):  # folders come from others
        return {}
    seconds, trips, wire, packets = (counters[name] for name in _NEEDED)
    size, messages = configuration.exchange.payload_bytes, trips * _MESSAGES
    carried = sum(max(counters.get(name, 0), 0) for name in _CARRIED)
    to_server, from_server = (counters.get(name, 0) for name in _SERVERS)
    share = (to_server + from_server) / carried if carried else float(configuration.route == "xmpp")
    return {
        network.THROUGHPUT: wire * _BITS / seconds,
        network.BODIES: size * messages * _BITS / seconds,
        network.OVERHEAD: wire / messages / size if size else None,
        network.EACH_MESSAGE: wire / messages,
        network.PACKETS: packets / seconds,
        network.PER_PACKET: messages / packets,
        network.SHARE: share,
        network.BEYOND: wire / messages - size,
        network.TO_SERVER: to_server / trips if carried else None,
        network.FROM_SERVER: from_server / trips if carried else None,
    }


SUMMARY = exchanges(on_the_wire)
