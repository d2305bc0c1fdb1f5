"""Bytes on the wire while pairs talk: `network`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Figure, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import BY_ALL, FIT, OURS, PAPER_PAIRS
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import BITS, BYTES, PART, PER_SECOND, TIMES, Metric
from formicary_bench.vocabulary.names import ON_THE_WIRE
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import APART, DIRECT, TCP, TWO_HOSTS, XMPP, Carrier


def _derived(name: str, title: str, unit: str, column: str, **about: bool) -> Metric:
    return Metric(name, title, unit, column, is_judged=False, **about)


THROUGHPUT = _derived("wire_bits_per_s", "bits on the wire per second", BITS, "on the wire", has_spread=True)
BODIES = _derived("payload_bits_per_s", "bits of bodies per second", BITS, "bodies", minor=True)
OVERHEAD = _derived("overhead", "bytes per byte of a body", TIMES, "per byte of a body", has_spread=True)
EACH_MESSAGE = Metric(
    "wire_bytes_per_message", "bytes on the wire per message", BYTES, "each message", more_is_better=False
)
PACKETS = _derived("packets_per_s", "packets per second", PER_SECOND, "packets/s")
PER_PACKET = _derived("messages_per_packet", "messages per packet", TIMES, "messages per packet")
SHARE = _derived("server_share", "server's share of the bytes", PART, "server's share", minor=True)
BEYOND = _derived(
    "wire_overhead_per_message", "bytes beyond the body", BYTES, "beyond the body", has_spread=True
)
TO_SERVER = _derived(
    "to_server_per_message", "bytes to the server per message", BYTES, "to the server", minor=True
)
FROM_SERVER = _derived(
    "from_server_per_message", "bytes from the server per message", BYTES, "from it", minor=True
)

_WIRE = (
    "On one host the wire is the loopback interface, whose packets may have 64 kB, where those of Ethernet "
    "have 1.5 kB; direct links use TCP there, as Unix sockets do not show. Between hosts it is their "
    "interfaces."
)

EXPERIMENT = Experiment(
    name=names.NETWORK,
    title="Bytes on the wire",
    what="bytes and packets on the wire while pairs talk, relative to what they send",
    source="Alberola 2010, Fig. 17",
    repeats=Repeats(ALBEROLA, lambda _: {17}),
    varies=("route", "tls"),
    parameters=Talk,
    sizes={"pairs": (1, 10, 50, 100, 200), "payload_bytes": (100,)},
    placements=(APART, TWO_HOSTS),
    carriers=tuple(Carrier(route, tls) for route in (DIRECT, XMPP, TCP) for tls in (False, True)),
    fit=FIT,
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=BY_ALL),)),
    paper=Preset(sizes={"pairs": PAPER_PAIRS}, placements=(TWO_HOSTS,)),
    duration=Loaded("formicary_bench.experiments.network.pipeline:duration"),
    measure=Loaded("formicary_bench.experiments.network.pipeline:measure_network"),
    metrics=(
        THROUGHPUT,
        BODIES,
        OVERHEAD,
        EACH_MESSAGE,
        PACKETS,
        PER_PACKET,
        SHARE,
        BEYOND,
        TO_SERVER,
        FROM_SERVER,
    ),
    over="pairs",
    figures=(
        Figure(metric=THROUGHPUT, over="pairs", title="Throughput on the wire", caption=_WIRE),
        Figure(metric=OVERHEAD, over="pairs", title="Overhead", caption=_WIRE),
        Figure(metric=PER_PACKET, over="pairs", title="Batching", caption=_WIRE),
        Figure(metric=BEYOND, over="pairs", title="What a message takes beyond its body", caption=_WIRE),
    ),
    says="{where}, a message of {pairs} is {wire_bytes_per_message} on the wire[, {overhead} times its "
    "body], {messages_per_packet} of them in a packet.",
    published=ON_THE_WIRE,
    summarise=Loaded("formicary_bench.experiments.network.pipeline:SUMMARY"),
)
