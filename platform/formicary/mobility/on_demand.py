"""Stand in for the mobility service: until an agent moves, and in a container without others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formicary.core.errors import InvalidNameError, MoveError
from formicary.core.names import check_container

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.mobility.cloning import Cloning
    from formicary.mobility.service import MobilityService

CHANNEL: Final = "mobility"
"""The channel of control messages about agents that move."""


class OnDemand:
    """A listener of members that creates the service when another container first mentions a move.

    Args:
        service: returns it; it listens itself then.
    """

    channel = CHANNEL

    def __init__(self, service: Callable[[], MobilityService]) -> None:
        self._service = service

    def joined(self, domain: str, incarnation: int) -> None:
        """Called when another container is a member."""

    def lost(self, domain: str) -> None:
        """Called when another container is no longer a member."""

    def on_control(self, domain: str, payload: bytes) -> None:
        """Handle a payload of another container; ValueError if it is invalid."""
        self._service().on_control(domain, payload)


class NoMobility:
    """Replaces the service in a container that is not connected to others.

    Args:
        container: the container.
        cloning: returns what clones agents.
    """

    def __init__(self, container: Container, cloning: Callable[[], Cloning]) -> None:
        self._container = container
        self._cloning = cloning

    async def move(self, agent: BaseAgent, to: str) -> None:
        """Refuse to move an agent; arguments as of `BaseAgent.move`."""
        if full_domain(agent, to, self._container) != self._container.domain:
            raise MoveError(
                f"agent {agent.name} cannot leave container {self._container.name}, which is not "
                "connected to any other"
            )

    async def clone(self, agent: BaseAgent, to: str, name: str, timeout: float) -> None:
        """Start a copy of an agent; arguments and errors as of `BaseAgent.clone`."""
        place = full_domain(agent, to, self._container)
        await self._cloning().clone(agent, place, name, timeout)  # type: ignore[arg-type]  # as above

    def transit(self, address: str) -> None:
        """Return None: no agent is in transit."""

    async def kill(self, address: str) -> None:
        """Do nothing: no agent arrives."""


def full_domain(agent: BaseAgent, to: str, container: Container) -> str:
    """Return the full domain of a destination.

    Raises:
        MoveError: it is not of the platform.
    """
    label, dot, platform = to.partition(".")
    try:
        check_container(label)
    except InvalidNameError as error:
        raise MoveError(f"agent {agent.name} cannot move: {error}") from error
    if dot and platform != container.platform:
        raise MoveError(
            f"agent {agent.name} cannot move: {to} is not a container of the platform {container.platform}"
        )
    return f"{label}.{container.platform}"
