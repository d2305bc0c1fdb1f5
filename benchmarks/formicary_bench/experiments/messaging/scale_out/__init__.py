"""Increasing numbers of hosts, with the same number of pairs on each: `messaging/scale-out`."""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded
from formicary_bench.experiments.messaging import FIT
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import BYTES, MEAN, MICROSECONDS, PART, RATE, Metric
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import N_HOSTS, TRAFFICS

AGENTS_CPU = Metric(
    "agents_cpu_us", "agents' CPU per message", MICROSECONDS, "agents' CPU/message", has_spread=True
)
SERVERS_CPU = Metric(
    "servers_cpu_us", "servers' CPU per message", MICROSECONDS, "servers' CPU/message", has_spread=True
)
WHOLE_CPU = Metric("cpu_us", "CPU time per message", MICROSECONDS, is_judged=False)
BUSIEST = Metric("busiest_host", "busiest host", PART, minor=True, is_judged=False)
AGENTS_HOLD = Metric("agents_bytes", "memory of an agents' process", BYTES, is_judged=False)
SERVER_HOLDS = Metric("server_bytes", "memory of a server", BYTES, is_judged=False)
WIRE = Metric("wire_bytes_per_message", "bytes on the wire per message", BYTES, is_judged=False)

_SHARED = (
    "Hosts that are namespaces of one machine share its processors: only CPU time per message shows "
    "what more machines would gain. On one host no message goes over a link."
)

EXPERIMENT = Experiment(
    name=names.SCALE_OUT,
    title="Increasing numbers of hosts, with the same number of pairs on each",
    what="round trips of a fixed number of pairs on each of more and more hosts, and the cost of each host",
    varies=("count", "traffic", "route", "tls"),
    parameters=Talk,
    sizes={"pairs": (50,), "payload_bytes": (100,)},
    placements=(N_HOSTS,),
    kinds=("behaviours", "micro"),
    traffics=TRAFFICS,
    fit=FIT,
    measure=Loaded("formicary_bench.experiments.messaging.scale_out.measure:measure_scale_out"),
    metrics=(replace(RATE, has_spread=True), MEAN, AGENTS_CPU, SERVERS_CPU, BUSIEST),
    unshown=(WHOLE_CPU, AGENTS_HOLD, SERVER_HOLDS, WIRE),
    over="pairs",
    figures=tuple(
        Figure(metric=metric, over="hosts", title=title, caption=_SHARED)
        for metric, title in (
            (RATE, "Round trips per second against hosts"),
            (MEAN, "Round-trip time against hosts"),
            (WHOLE_CPU, "CPU time of agents and servers for each message, against hosts"),
        )
    ),
    says="{where}, {who}, {pairs} on each: {round_trips_per_s} round trips/s, {rtt_mean_us} per round trip "
    "(mean).",
    summarise=Loaded("formicary_bench.experiments.messaging.scale_out.measure:SUMMARY"),
)
