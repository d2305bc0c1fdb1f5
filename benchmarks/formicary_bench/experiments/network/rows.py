"""How rows are made of what goes over the wire, and what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments import network
from formicary_bench.results.summary.round_trips import exchanges

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

_BITS = 8  # of a byte
_MESSAGES = 2  # of a round trip
_SERVERS = ("to_server", "from_server")
_CARRIED = (*_SERVERS, "to_others", "from_others")  # by TCP connections, as of `engine.sockets`
_NEEDED = ("seconds", "round_trips", "wire_bytes", "wire_packets")


def on_the_wire(
    configuration: Configuration, repetition: Repetition, _: Exchanged
) -> dict[Metric, float | None]:
    """Return what went over the wire; nothing where not all that figures are made of was counted.

    Where connections are not counted one by one, all that goes by the route `xmpp` is the server's, and
    nothing else is.
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
