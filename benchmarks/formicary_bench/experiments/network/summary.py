"""What the figures of `network` are: what goes over the wire, and what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import WIRE
from formicary_bench.results.summary.estimates import NetworkEstimates
from formicary_bench.statistics.estimates import Estimate, mean_estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration

_MESSAGES = 2  # of a round trip
_SERVERS = ("to_server", "from_server")
_CARRIED = (*_SERVERS, "to_others", "from_others")  # by TCP connections, as of `engine.sockets`


def network_estimates(
    configuration: Configuration, repetitions: Sequence[Repetition]
) -> NetworkEstimates | None:
    """Compute the figures of a configuration of `network`; None where nothing was counted.

    Where connections are not counted one by one, all that goes by the route `xmpp` is the server's, and
    nothing else is.
    """
    known = [one.counters for one in repetitions if _is_sound(one.counters)]
    if not known:
        return None
    size = configuration.payload_bytes
    counted = all(sum(max(one.get(name, 0), 0) for name in _CARRIED) > 0 for one in known)

    def figure(value: Callable[[dict[str, float]], float]) -> Estimate:
        return mean_estimate([value(counters) for counters in known])

    return NetworkEstimates(
        wire_bytes_per_s=figure(lambda c: c["wire_bytes"] / c["seconds"]),
        packets_per_s=figure(lambda c: c["wire_packets"] / c["seconds"]),
        payload_bytes_per_s=figure(lambda c: size * _messages(c) / c["seconds"]),
        wire_bytes_per_message=figure(lambda c: c["wire_bytes"] / _messages(c)),
        overhead=figure(lambda c: c["wire_bytes"] / _messages(c) / size) if size else None,
        messages_per_packet=figure(lambda c: _messages(c) / c["wire_packets"]),
        wire_overhead_per_message=figure(lambda c: c["wire_bytes"] / _messages(c) - size),
        server_share=_share(known) if counted else float(configuration.named_route == "xmpp"),
        to_server_per_message=figure(lambda c: c["to_server"] / c["round_trips"]) if counted else None,
        from_server_per_message=figure(lambda c: c["from_server"] / c["round_trips"]) if counted else None,
    )


def network_each(counters: dict[str, float]) -> dict[str, float | None]:
    """Return what a row of `network` is judged by, of one repetition."""
    return {WIRE: counters["wire_bytes"] / _messages(counters) if _is_sound(counters) else None}


def _share(known: Sequence[dict[str, float]]) -> float:
    server = sum(counters[name] for counters in known for name in _SERVERS)
    return server / sum(counters[name] for counters in known for name in _CARRIED)


def _messages(counters: dict[str, float]) -> float:
    return counters["round_trips"] * _MESSAGES


def _is_sound(counters: dict[str, float]) -> bool:
    """Whether all that figures are made of is there, and more than nothing: folders come from others."""
    return all(counters.get(name, 0) > 0 for name in ("seconds", "round_trips", "wire_bytes", "wire_packets"))
