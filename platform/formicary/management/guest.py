"""The services of a guest, which is no container of the platform and passes all requests to its main one."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Final, Never

from formicary.core.errors import MoveError, UsageError
from formicary.directory.interface import AgentDirectory, Directory
from formicary.directory.proxy import DirectoryProxy
from formicary.fipa.management_agent import ManagementAgent
from formicary.management.descriptions import AgentPlace, Missing
from formicary.management.management import Management
from formicary.management.requests.looking_up import ListContainers, Locate, Located
from formicary.management.requests.router import RequestRouter, UnansweredError, within_time
from formicary.management.services import end_subscriptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.directory.interface import Backend
    from formicary.groups.interface import AgentGroups
    from formicary.management.requests.language import Action, R

_ANSWERING: Final = 3.0  # s for the main container to answer, in addition to the time that others get


class GuestServices:
    """The services of a guest's agents, instead of `PlatformServices`.

    A guest announces nothing to the platform's containers, so it is no member. It sends requests to the main
    container only, which passes on those that concern others.
    """

    def __init__(self, container: Container) -> None:
        self._main = container.main_domain
        self._is_there = False
        self._was_lost = False  # then it may have forgotten what this one subscribed to
        self.agent = ManagementAgent()
        container.lifecycle.add_system_agent(self.agent)
        container.peers = self
        self.backend: Backend = DirectoryProxy(container, self.agent)
        self.management = Management(GuestRequestRouter(container, self.agent, container.main_domain))
        self.directory = Directory(self.backend)

    def directory_of(self, agent: BaseAgent) -> AgentDirectory:
        """Return an agent's access to the directory."""
        return AgentDirectory(self.backend, agent)

    def groups_of(self, agent: BaseAgent) -> AgentGroups:
        """Refuse: agents of a guest are in no groups."""
        raise UsageError(
            f"agent {agent.name} lives in a guest of the platform, and guests cannot join groups"
        )

    @property
    def mobility(self) -> Never:
        """Refuse: a guest's agents do not move."""
        raise MoveError("an agent in a guest of the platform cannot move: it has no home there")

    @property
    def sleeping(self) -> Never:
        """Refuse: a guest's agents do not sleep."""
        raise MoveError("an agent in a guest of the platform cannot sleep: it has no home there")

    @property
    def members(self) -> Mapping[str, int]:
        """The platform's container, as long as it is there; its incarnation is not known."""
        return {self._main: 0} if self._is_there else {}

    async def open(self) -> None:
        """Do nothing: there is no file."""

    async def start(self) -> None:
        """Do nothing: guests announce nothing."""

    def agent_gone(self, address: str) -> None:
        """Do nothing: the guest's agents cannot have registered anything."""

    async def close(self) -> None:
        """Close; pending requests fail."""
        async with AsyncExitStack() as stack:  # as of PlatformServices
            stack.push_async_callback(self.backend.close)
            stack.callback(end_subscriptions, self.backend)
            stack.push_async_callback(self.agent.stop)

    # -- as the peers of the transport ----------------------------------------------------------------------

    def is_member(self, domain: str) -> bool:
        """Return whether another container is the platform's, which speaks for the others."""
        return domain == self._main

    def opened(self, domain: str) -> None:
        """Called when a link to another container has begun."""
        if domain == self._main:
            self._is_there = True
            if self._was_lost:
                self.backend.on_listed()

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended."""
        if domain == self._main:
            self._is_there, self._was_lost = False, True
            self.agent.lost(domain)

    def on_control(self, domain: str, channel: str, payload: bytes) -> None:
        """Refuse control messages, which are for members."""
        raise ValueError(f"{domain} tells a guest {len(payload)} bytes on {channel!r}")


class GuestRequestRouter(RequestRouter):
    """Passes all requests to the main container."""

    def __init__(self, container: Container, agent: ManagementAgent, main: str) -> None:
        super().__init__(container, agent)
        self._home = main

    async def perform(self, request: Action[R], sender: str = "") -> R:
        """Send a completed request to the platform's container; errors as there."""
        del sender  # guests get no requests
        if not isinstance(request, Locate):
            return await self._pass_on(request, self._home)
        # It may wait for others, so it gets more time; an error that it answers does not make it missing.
        ask = partial(self._pass_on, request)
        result = await within_time(ask, self._home, _ANSWERING, missing=UnansweredError)
        if isinstance(result, Missing):
            places = tuple(AgentPlace(name, reason=result.reason) for name in request.agents)
            result = Located("locate", places=places, missing=(result,))
        return result  # type: ignore[return-value]  # the answer to a Locate

    async def containers(self) -> tuple[set[str], tuple[Missing, ...]]:
        """Return the domains of the platform's containers, and those that are known not to answer."""
        result = await self.perform(ListContainers())
        return {container.domain for container in result.containers}, result.missing
