"""What one configuration is, in words, and what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.commands import sizes_of
from formicary_bench.subjects.registry import has_driver, subject_of
from formicary_bench.vocabulary.places import AUTO, N_HOSTS, SAME, XMPP

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration


def describe(configuration: Configuration) -> str:
    """Return a configuration in words, for the display and for sentences."""
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
    """Return what carries a configuration's messages."""
    return f"{configuration.route} with TLS" if configuration.tls else configuration.route


def needs_server(configuration: Configuration) -> bool:
    """Return whether an XMPP server takes part."""
    # Agents that have accounts log in also where their messages stay in one process.
    if configuration.route in {XMPP, AUTO} or not has_driver(configuration):
        return configuration.route in {XMPP, AUTO}
    return subject_of(configuration.platform, configuration.kind).accounts
