"""How rows are made of pairs on more and more hosts: what a message costs agents' processes and servers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging import scale_out
from formicary_bench.results.summary.round_trips import exchanges

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

AGENTS, SERVER, HOST = "agents", "server", "host"
"""Whose counters there are: `agents@a cores` is how many cores the agents' process of host a keeps busy."""

_MESSAGES = 2  # of a round trip
_US = 1e6


def _costs(
    configuration: Configuration, repetition: Repetition, measured: Exchanged
) -> dict[Metric, float | None]:
    """Return what a message costs; nothing where the rate is not known. Links go through no server."""
    counters, messages = repetition.counters, _MESSAGES * (measured.load.rate or 0.0)
    if not messages:
        return {}
    agents = _sum(_all(counters, AGENTS, "cores"), messages / _US)
    is_through_server = configuration.route == "xmpp"
    servers = _sum(_all(counters, SERVER, "cores"), messages / _US) if is_through_server else None
    # Of a link the server's part is nothing; through a server that is not counted the whole is not known.
    rest = servers if is_through_server else 0.0
    return {
        scale_out.AGENTS_CPU: agents,
        scale_out.SERVERS_CPU: servers,
        scale_out.WHOLE_CPU: agents + rest if agents is not None and rest is not None else None,
        scale_out.BUSIEST: max(_all(counters, HOST, "busy"), default=None),
        scale_out.AGENTS_HOLD: _mean(_all(counters, AGENTS, "bytes")),
        scale_out.SERVER_HOLDS: _mean(_all(counters, SERVER, "bytes")),
        scale_out.WIRE: _sum(_all(counters, HOST, "wire bytes/s"), messages),
    }


SUMMARY = exchanges(_costs)


def _all(counters: dict[str, float], who: str, what: str) -> list[float]:
    """Return a counter of all hosts that have it."""
    return [
        value
        for name, value in counters.items()
        if name.startswith(f"{who}@") and name.endswith(f" {what}") and math.isfinite(value)
    ]


def _sum(values: list[float], by: float) -> float | None:
    return math.fsum(values) / by if values else None


def _mean(values: list[float]) -> float | None:
    there = [value for value in values if value]
    return math.fsum(there) / len(there) if there else None
