"""Make the mobility service only for the first agent that moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.mobility.service import MobilityService

CHANNEL: Final = "mobility"
"""The channel of control messages about agents that move."""


class OnDemand:
    """A listener of members that makes the service when another container first mentions a move.

    Args:
        service: returns it; it listens itself then.
    """

    channel = CHANNEL

    def __init__(self, service: Callable[[], MobilityService]) -> None:
        self._service = service

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member."""

    def lost(self, domain: str) -> None:
        """Called when another container is not a member any more."""

    def on_control(self, domain: str, payload: bytes) -> None:
        """Pass on what another container tells; ValueError if it is not about moves."""
        self._service().on_control(domain, payload)
