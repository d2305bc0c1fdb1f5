"""The services of a container: management, its part of the directory, members, groups."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from formicary.directory.designs import DIRECTORIES, REPLICA, Agreement
from formicary.directory.interface import AgentDirectory, Directory
from formicary.directory.language import ENQUIRIES
from formicary.fipa.language import CLONING, ONTOLOGY
from formicary.fipa.management_agent import ManagementAgent
from formicary.management.management import Management
from formicary.management.membership.members import Members
from formicary.management.requests.handler import RequestHandler
from formicary.management.requests.router import RequestRouter
from formicary.mobility.forwarding.table import LocationTable
from formicary.mobility.on_demand import NoMobility, OnDemand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.core.message import Message
    from formicary.delivery.protocols import Transport
    from formicary.directory.enquiries import Enquiries
    from formicary.directory.interface import Backend
    from formicary.groups.interface import AgentGroups
    from formicary.groups.service import GroupService
    from formicary.management.membership.members import Listener
    from formicary.mobility.attached_state import AttachedState
    from formicary.mobility.cloning import Cloning
    from formicary.mobility.service import MobilityService
    from formicary.sleeping.service import SleepingAgents


_ANSWERING = 0.2  # s to finish answers when the container ends


class PlatformServices:
    """Serves a container's agents, and answers for the container.

    Args:
        container: the container.
        transport: reaches other containers, and is not open yet; None if there are no others.
    """

    def __init__(self, container: Container, transport: Transport | None) -> None:
        self._container = container
        self.agent = ManagementAgent()
        container.lifecycle.add_system_agent(self.agent)
        self._transport = transport
        self._members: Members | None = None
        self.locations: LocationTable | None = None
        if transport is not None:
            self._members = Members(container.domain, container.main_domain, transport)
            container.peers = self._members
            self.locations = LocationTable(container, transport, self._members.is_member)
            self._members.on_end.append(self.locations.ended)
            self._members.on_end.append(container.container_lost)
        self.backend: Backend = self._make_backend(transport)
        self._agreement: Agreement | None = None
        if transport is not None:
            self._agreement = Agreement(
                container.name,
                container.main_domain,
                container.service_options.directory,
                self.backend,
                transport,
            )
        router = RequestRouter(container, self.agent)
        self._requests = RequestHandler(self.agent, router)
        self._is_open = asyncio.Event()
        if transport is None:
            self._is_open.set()
        self.agent.serve(ONTOLOGY, self._answer)
        self.management = Management(router)
        self.directory = Directory(self.backend)
        self._groups: GroupService | None = None  # created for the first agent that uses groups
        self._enquiries: Enquiries | None = None  # created for the first guest that asks
        self._mobility: MobilityService | None = None  # created for the first agent that moves
        self._sleeping: SleepingAgents | None = None  # created for the first agent that sleeps
        self.agent.serve(ENQUIRIES, self._enquire)
        self.agent.serve(CLONING, self._begin_clone)

    def _make_backend(self, transport: Transport | None) -> Backend:
        if (design := self._container.service_options.directory) == REPLICA:
            from formicary.directory.replicated.directory import ReplicatedDirectory

            return ReplicatedDirectory(self._container, self.members[self._container.domain], transport)
        module, _, client = DIRECTORIES[design].partition(":")
        backend: Backend = getattr(import_module(module), client)(self._container, self.agent)
        return backend

    def directory_of(self, agent: BaseAgent) -> AgentDirectory:
        """Return an agent's access to the directory."""
        return AgentDirectory(self.backend, agent)

    def groups_of(self, agent: BaseAgent) -> AgentGroups:
        """Return an agent's access to the groups."""
        from formicary.groups.interface import AgentGroups

        return AgentGroups(self._open_groups(), agent)

    def _open_groups(self) -> GroupService:
        if self._groups is None:
            from formicary.groups.service import GroupService

            self._groups = GroupService(self._container, self.agent, self.backend)
        return self._groups

    @cached_property
    def attached_state(self) -> AttachedState:
        """The state that these services keep of an agent, and that moves with it."""
        from formicary.mobility.attached_state import AttachedState

        return AttachedState(self.backend, lambda: self._groups, self._open_groups)

    @property
    def mobility(self) -> MobilityService | NoMobility:
        """The service that moves agents from here and to here."""
        if self._mobility is not None:
            return self._mobility
        if self._members is None:
            return NoMobility(self._container, lambda: self.cloning)
        return self._open_mobility()

    def _open_mobility(self) -> MobilityService:
        if self._mobility is None:
            from formicary.mobility.service import MobilityService

            members = self._members
            assert members is not None
            assert self._transport is not None
            assert self.locations is not None
            self._mobility = MobilityService(self._container, self, members, self._transport, self.locations)
            members.listen(self._mobility)
            members.on_open.append(self._mobility.link_opened)
            members.on_end.append(self._mobility.link_ended)
        return self._mobility

    @property
    def sleeping(self) -> SleepingAgents:
        """The service that puts agents to sleep, and wakes them."""
        if self._sleeping is None:
            from formicary.sleeping.service import SleepingAgents

            path = self._container.service_options.sleepers
            self._sleeping = SleepingAgents(
                self._container, path, lambda: self.attached_state, self._ended_asleep
            )
        return self._sleeping

    def _ended_asleep(self, address: str) -> None:
        if (on_gone := self._container.lifecycle.on_gone) is not None:
            on_gone(address)

    @cached_property
    def cloning(self) -> Cloning:
        """The service that clones agents."""
        from formicary.mobility.cloning import Cloning

        return Cloning(self._container, self.agent)

    async def _answer(self, message: Message) -> None:
        await self._is_open.wait()  # or requests would miss the agents that it starts with
        await self._requests.handle(message)

    def _begin_clone(self, message: Message) -> Awaitable[None]:
        return self.cloning.handle(message)

    def _enquire(self, message: Message) -> Awaitable[None] | None:
        """Answer a guest of the platform, which has no part of the directory itself."""
        if self._enquiries is None:
            from formicary.directory.enquiries import Enquiries

            self._enquiries = Enquiries(self.agent, self.backend)
            if self._members is not None:
                self._members.on_end.append(self._enquiries.forget)
        return self._enquiries.handle(message)

    @property
    def members(self) -> Mapping[str, int]:
        """The incarnations of the platform's containers by domain."""
        return {self._container.domain: 0} if self._members is None else self._members.all

    def listen(self, listener: Listener) -> None:
        """Notify a listener of the platform's containers from now on; does nothing without a transport."""
        if self._members is not None:
            self._members.listen(listener)

    async def open(self) -> None:
        """Open the services that have a file; StoreError if it cannot be used."""
        await self.backend.open()
        if self._container.service_options.sleepers is not None:
            try:
                await self.sleeping.open()
            except BaseException:
                await self.backend.close()
                raise
            if self._members is None:
                self.sleeping.begin()
        if self._members is not None and self._agreement is not None:
            # Not later: messages may come while the transport is opened.
            if self._mobility is None:
                self._members.listen(OnDemand(self._open_mobility))
            self._members.listen(self._agreement)  # after it, so that it hears of moves first

    async def start(self) -> None:
        """Start working with other containers, as the transport is open; return when in sync with them."""
        assert self._members is not None
        assert self._agreement is not None
        self._members.listen(self.agent)
        self._members.listen(self.backend)
        if self.locations is not None:
            self._members.listen(self.locations)
        self._members.start()
        await self._members.get_acquainted(self._agreement.has_told)
        self._is_open.set()
        if self._container.service_options.sleepers is not None:
            self.sleeping.begin()

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended."""
        if self._groups is not None:
            self._groups.agent_gone(address)
        self.backend.agent_gone(address)
        if self._mobility is not None:
            self._mobility.agent_gone(address)
        if self._sleeping is not None:
            self._sleeping.agent_gone(address)

    def _close_mobility(self) -> None:
        if self._mobility is not None:  # which may have been opened while this closes
            self._mobility.close()

    async def close(self) -> None:
        """Close, and tell others that the container stops."""
        async with AsyncExitStack() as stack:  # so that everything is closed even if this is cancelled
            if self._members is not None:
                stack.callback(self._members.close)
            if self.locations is not None:
                stack.callback(self.locations.close)
            stack.callback(self._close_mobility)
            stack.push_async_callback(self.backend.close)
            if self._sleeping is not None:
                stack.push_async_callback(self._sleeping.close)
            stack.callback(end_subscriptions, self.backend)
            if self._agreement is not None:
                stack.callback(self._agreement.close)
            stack.push_async_callback(self.agent.stop)  # pending requests are answered with an error
            stack.push_async_callback(self._finish_answering)
            if self._groups is not None:
                stack.push_async_callback(self._groups.close)

    async def _finish_answering(self) -> None:
        # The container may end because its last agent was killed; the sender of that request gets an answer.
        if answering := tuple(self.agent.handling_strands()):
            await asyncio.wait(answering, timeout=_ANSWERING)


def end_subscriptions(backend: Backend) -> None:
    """End all subscriptions to the directory."""
    for subscription in tuple(backend.open_subscriptions):
        subscription.end()
