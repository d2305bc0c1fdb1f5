"""What is measured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.vocabulary.names import COMPUTE, CONVERSATIONS_HOLD, DIRECTORY, MEDIATED, MEMORY, TRAFFIC
from formicary_bench.vocabulary.placements import N_HOSTS, SAME

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration


def describe(configuration: Configuration) -> str:
    """Say what a configuration is, for the display and for sentences."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    who = f"{configuration.experiment}, {configuration.platform}{kind}"
    profiled = ", profiled" if configuration.profiled else ""
    profiled = ", beside it not profiled" if configuration.reference else profiled
    if configuration.family == COMPUTE:
        agents = f"{configuration.agents} agent" + "s" * (configuration.agents > 1)
        return f"{who}, {agents}, {configuration.loop} computations each{_cores(configuration)}{profiled}"
    if configuration.experiment == CONVERSATIONS_HOLD:
        return f"{who}, {configuration.agents} conversations{profiled}"
    if configuration.experiment in {"create", MEMORY}:
        return f"{who}, {configuration.agents} agents{profiled}"
    return f"{who}, {_where(configuration)}, {_size(configuration)}{_cores(configuration)}{profiled}"


def _cores(configuration: Configuration) -> str:
    many = configuration.cores
    return f", {many} core{'s' * (many > 1)}" if many else ""


def _where(configuration: Configuration) -> str:
    if configuration.placement == SAME:
        return configuration.placement
    many = [f"{configuration.hosts} hosts"] if configuration.placement == N_HOSTS else []
    traffic = [configuration.traffic] if configuration.traffic else []
    return f"{configuration.placement} ({', '.join([*many, *traffic, way_of(configuration)])})"


def _size(configuration: Configuration) -> str:
    if configuration.loop or configuration.dimension or configuration.experiment == MEDIATED:
        return _operations(configuration)
    if configuration.agents:
        return f"{configuration.agents} agents"
    if configuration.family == DIRECTORY:
        seen_by = f"{configuration.containers} other containers, " if configuration.containers else ""
        spread = f" ({configuration.spread})" if configuration.spread else ""
        return f"{seen_by}{configuration.services} services{spread}"
    if configuration.mix:
        clients = f"{configuration.pairs} client" + "s" * (configuration.pairs > 1)
        requests = f"{configuration.requests} request" + "s" * (configuration.requests > 1)
        delay = f", packets {configuration.delay_us} µs on their way" if configuration.delay_us else ""
        return f"{clients}, {requests} of the {configuration.mix} mix, {configuration.database}{delay}"
    if configuration.family == TRAFFIC:
        return _traffic(configuration)
    word = "pair" if not configuration.senders else "sender" if configuration.receivers == 1 else "receiver"
    many = f"{configuration.pairs} {word}" + "s" * (configuration.pairs > 1)
    paced = f", {configuration.rate} messages/s ({configuration.arrivals})" if configuration.rate else ""
    if configuration.limit_us:
        paced = f", 99% within {configuration.limit_us} µs ({configuration.arrivals})"
    return f"{many}, {configuration.payload_bytes} bytes{paced}"


def _traffic(configuration: Configuration) -> str:
    to = f"{configuration.echoes} receivers" if configuration.echoes else "each other in turn"
    containers = f"{configuration.containers} container" + "s" * (configuration.containers > 1)
    return f"{configuration.pairs} agents to {to}, {configuration.payload_bytes} bytes, {containers}"


def _operations(configuration: Configuration) -> str:
    if configuration.dimension:
        over = f", {configuration.containers} containers" if configuration.containers > 1 else ""
        return f"{configuration.dimension**2} cells, until one has made {configuration.swaps} swaps{over}"
    if not configuration.loop:
        return f"{configuration.requests} rounds"
    said = [f"{configuration.pairs} clients"] if configuration.pairs else []
    said += [f"{configuration.rate} messages/s meanwhile"] if configuration.rate else []
    said += [configuration.way.replace("-", " ")] if configuration.way else []
    return ", ".join([*said, f"loops of up to {configuration.loop}"])


def way_of(configuration: Configuration) -> str:
    """Say what carries a configuration's messages."""
    return f"{configuration.route} with TLS" if configuration.tls else configuration.route
