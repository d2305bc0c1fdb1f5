"""The container in which an action is performed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from formicary.core.errors import ManagementError, UnauthorisedError, UnknownAgentError
from formicary.management.requests.white_pages import WhitePages

if TYPE_CHECKING:
    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.management.guest import GuestServices
    from formicary.management.services import PlatformServices
    from formicary.observe.collector import Collector


class LocalManagement:
    """A container, as actions see it."""

    def __init__(self, container: Container) -> None:
        self.container = container
        self.white_pages = WhitePages(container)

    @property
    def services(self) -> PlatformServices | GuestServices:
        """The container's services."""
        return self.container.platform_services

    @cached_property
    def collector(self) -> Collector:
        """The collector of events for viewers."""
        from formicary.observe.collector import Collector

        return Collector(self.container)

    def find(self, name: str, asleep: type[ManagementError] = ManagementError) -> Agent | MicroAgent:
        """Return an agent that is here and awake.

        Args:
            name: its full name.
            asleep: the error to raise if it sleeps.
        """
        container = self.container
        agent = container.dispatcher.agents.get(name) or container.lifecycle.arriving.get(name)
        if agent is not None:
            return agent
        if container.dispatcher.sleepers is not None:
            sleeping = self.services.sleeping
            if sleeping.is_asleep(name) or sleeping.wakes(name):
                raise asleep(f"agent {name} is asleep; wake it first, with a message or with `activate`")
        if name in container.dispatcher.system_agents:
            raise UnauthorisedError(
                f"{name} is the container's own agent, and stays as long as the container runs"
            )
        if name.partition("@")[2] != container.domain:
            raise UnknownAgentError(f"agent {name} is not in container {container.name}")
        raise UnknownAgentError(container.dispatcher.why_unknown(name))
