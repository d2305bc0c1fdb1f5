"""What the figures of `messaging/scale-out` are: what a message costs on agents' processes and on servers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import AGENTS_CPU, SERVERS_CPU
from formicary_bench.results.summary.estimates import ScaleEstimates
from formicary_bench.statistics.estimates import Estimate, mean_estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration

AGENTS, SERVER, HOST = "agents", "server", "host"
"""Whose counters there are: `agents@a cores` is how many cores the agents' process of host a keeps busy."""

_MESSAGES = 2  # of a round trip
_US = 1e6


def scale_estimates(
    configuration: Configuration,
    repetitions: Sequence[Repetition],
    rates: Sequence[float | None],
    rtts_us: Sequence[float],
) -> ScaleEstimates:
    """Compute the figures of a configuration of `messaging/scale-out`.

    Args:
        configuration: the configuration.
        repetitions: its repetitions.
        rates: the round trips per second of each of them, by its raw values; None where that is not known.
        rtts_us: the mean round-trip times.
    """
    known = [(one.counters, rate) for one, rate in zip(repetitions, rates, strict=True) if rate]

    def figure(value: Callable[[dict[str, float], float], float | None]) -> Estimate | None:
        values = [value(counters, rate) for counters, rate in known]
        there = [one for one in values if one is not None and math.isfinite(one)]
        return mean_estimate(there) if there else None

    return ScaleEstimates(
        agents_us=figure(lambda c, rate: _per_message(_all(c, AGENTS, "cores"), rate)),
        server_us=figure(lambda c, rate: _per_message(_all(c, SERVER, "cores"), rate))
        if _through_server(configuration)
        else Estimate(0.0),
        agents_bytes=figure(lambda c, _: _mean(_all(c, AGENTS, "bytes"))),
        server_bytes=figure(lambda c, _: _mean(_all(c, SERVER, "bytes"))),
        busy=figure(lambda c, _: max(_all(c, HOST, "busy"), default=None)),
        wire_bytes=figure(lambda c, rate: _sum(_all(c, HOST, "wire bytes/s"), rate * _MESSAGES)),
        rates=tuple(rate for rate in rates if rate),
        rtts_us=tuple(rtts_us),
    )


def scale_each(
    configuration: Configuration, counters: dict[str, float], rate: float | None
) -> dict[str, float | None]:
    """Return what a row of `messaging/scale-out` is judged by, of one repetition, besides rate and times."""
    if not rate:
        return {}
    servers = _all(counters, SERVER, "cores") if _through_server(configuration) else []
    return {
        AGENTS_CPU: _per_message(_all(counters, AGENTS, "cores"), rate),
        SERVERS_CPU: _per_message(servers, rate),
    }


def _through_server(configuration: Configuration) -> bool:
    return configuration.named_route == "xmpp"


def _all(counters: dict[str, float], who: str, what: str) -> list[float]:
    """Return a counter of all hosts that have it."""
    return [
        value for name, value in counters.items() if name.startswith(f"{who}@") and name.endswith(f" {what}")
    ]


def _per_message(cores: list[float], rate: float) -> float | None:
    return _sum([share * _US for share in cores], rate * _MESSAGES)


def _sum(values: list[float], messages: float) -> float | None:
    return math.fsum(values) / messages if values else None


def _mean(values: list[float]) -> float | None:
    there = [value for value in values if value]
    return math.fsum(there) / len(there) if there else None
