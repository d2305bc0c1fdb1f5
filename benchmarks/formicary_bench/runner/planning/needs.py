"""What one configuration needs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.subjects.registry import has_driver, subject_of
from formicary_bench.vocabulary.routes import AUTO, XMPP

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration


def needs_server(configuration: Configuration) -> bool:
    """Say whether an XMPP server takes part."""
    # Agents that have accounts log in also where their messages stay in one process.
    if configuration.route in {XMPP, AUTO} or not has_driver(configuration):
        return configuration.route in {XMPP, AUTO}
    return subject_of(configuration.platform, configuration.kind).accounts
