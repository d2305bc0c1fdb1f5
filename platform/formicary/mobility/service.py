"""What moves agents from one container, and to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from formicary.core.errors import MoveError

if TYPE_CHECKING:
    from datetime import datetime

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent


class MobilityService:
    """Moves the agents of one container.

    Args:
        container: the container.
    """

    def __init__(self, container: Container) -> None:
        self._container = container

    async def move(self, agent: BaseAgent, to: str) -> None:
        """Have an agent go on in another container; arguments and errors as of `BaseAgent.move`."""
        if to not in {self._container.name, self._container.domain}:
            raise self._refusal(agent)

    async def clone(self, agent: BaseAgent, to: str, name: str) -> None:
        """Make a copy of an agent; arguments and errors as of `BaseAgent.clone`."""
        del to, name
        raise self._refusal(agent)

    async def deactivate(self, agent: BaseAgent, until: float | datetime | Literal["message"]) -> None:
        """Have an agent sleep; arguments and errors as of `BaseAgent.deactivate`."""
        del until
        raise self._refusal(agent)

    def _refusal(self, agent: BaseAgent) -> MoveError:
        return MoveError(
            f"agent {agent.name} cannot leave container {self._container.name}: that is connected to no other"
        )
