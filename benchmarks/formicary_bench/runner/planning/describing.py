"""What is measured, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.sizes import sizes_of
from formicary_bench.vocabulary.placements import N_HOSTS, SAME

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration


def describe(configuration: Configuration) -> str:
    """Say what a configuration is, for the display and for sentences."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    said = [configuration.experiment, f"{configuration.platform}{kind}"]
    said += [] if configuration.route == "none" else [_where(configuration)]
    said += sizes_of(configuration)
    said += ["profiled"] if configuration.profiled else []
    said += ["beside it not profiled"] if configuration.reference else []
    return ", ".join(said)


def _where(configuration: Configuration) -> str:
    if configuration.placement == SAME:
        return configuration.placement
    many = [f"{configuration.hosts} hosts"] if configuration.placement == N_HOSTS else []
    traffic = [configuration.traffic] if configuration.traffic else []
    return f"{configuration.placement} ({', '.join([*many, *traffic, way_of(configuration)])})"


def way_of(configuration: Configuration) -> str:
    """Say what carries a configuration's messages."""
    return f"{configuration.route} with TLS" if configuration.tls else configuration.route
