"""What the figures of `network` are: what goes over the wire, and what is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.memory import Figure, mean_figure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.model import Configuration, Repetition

_MESSAGES = 2  # of a round trip


class NetworkFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What went over the wire while all pairs were measured together.

    Attributes:
        wire_bytes_per_s: Bytes on the wire per second, with the headers of all layers.
        packets_per_s: Packets per second, those that only acknowledge included.
        payload_bytes_per_s: Bytes of the messages' bodies per second.
        wire_bytes_per_message: Bytes on the wire for each message. Through the server each message goes over
            it twice: to the server, and from it.
        overhead: Bytes on the wire for each byte of a body; None for empty bodies.
        messages_per_packet: Messages for each packet: more than one where they go in batches.
        server_share: What part of the bytes went to or from the XMPP server.
    """

    wire_bytes_per_s: Figure
    packets_per_s: Figure
    payload_bytes_per_s: Figure
    wire_bytes_per_message: Figure
    overhead: Figure | None
    messages_per_packet: Figure
    server_share: float


def network_figures(configuration: Configuration, repetitions: Sequence[Repetition]) -> NetworkFigures | None:
    """Compute the figures of a configuration of `network`; None where nothing was counted.

    Direct links leave the server out, and by the route `xmpp` there is nothing but the server's connections.
    """
    known = [one.counters for one in repetitions if _is_sound(one.counters)]
    if not known:
        return None
    size = configuration.payload_bytes

    def figure(value: Callable[[dict[str, float]], float]) -> Figure:
        return mean_figure([value(counters) for counters in known])

    return NetworkFigures(
        wire_bytes_per_s=figure(lambda c: c["wire_bytes"] / c["seconds"]),
        packets_per_s=figure(lambda c: c["wire_packets"] / c["seconds"]),
        payload_bytes_per_s=figure(lambda c: size * _messages(c) / c["seconds"]),
        wire_bytes_per_message=figure(lambda c: c["wire_bytes"] / _messages(c)),
        overhead=figure(lambda c: c["wire_bytes"] / _messages(c) / size) if size else None,
        messages_per_packet=figure(lambda c: _messages(c) / c["wire_packets"]),
        server_share=1.0 if configuration.named_route == "xmpp" else 0.0,
    )


def _messages(counters: dict[str, float]) -> float:
    return counters["round_trips"] * _MESSAGES


def _is_sound(counters: dict[str, float]) -> bool:
    """Whether all that figures are made of is there, and more than nothing: folders come from others."""
    return all(counters.get(name, 0) > 0 for name in ("seconds", "round_trips", "wire_bytes", "wire_packets"))
