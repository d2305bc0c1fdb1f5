"""A container's part of the groups, with the players of all roles here and in other containers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from formicary.core.base_agent import AgentState
from formicary.core.errors import (
    AdmissionError,
    AgentStateError,
    AlreadyRegisteredError,
    ContainerClosedError,
    FormicaryError,
    GroupExistsError,
    MoveError,
    NoSuchGroupError,
    NotAMemberError,
    NotRegisteredError,
)
from formicary.core.logs import get_logger
from formicary.core.names import is_container_of
from formicary.directory.model.query import Query
from formicary.groups.admission import AdmissionControl
from formicary.groups.distributor import Distributor
from formicary.groups.naming import (
    MANAGER,
    ROLE,
    HeldRole,
    Role,
    container_of,
    group_query,
    is_secured,
    read_role,
)
from formicary.groups.roster import Roster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.directory.interface import Backend, Watch
    from formicary.directory.model.description import Gone, ServiceDescription
    from formicary.fipa.management_agent import ManagementAgent
    from formicary.groups.admission import Gatekeeper
    from formicary.groups.roster import Group
    from formicary.groups.subscription import GroupSubscription

    Listener = Callable[[str, str, bool], None]

logger = get_logger("formicary.groups")


class GroupService:
    """Knows the players of all roles: its own agents from their actions, all others from the directory."""

    def __init__(self, container: Container, agent: ManagementAgent, backend: Backend) -> None:
        self.container = container
        self.shared = Roster(self._changed_everywhere)
        """The groups of the platform."""
        self.local = Roster(self._changed)
        """The groups of this container only."""
        self._backend = backend
        self.admission = AdmissionControl(container, agent)
        """Asks gatekeepers, and keeps those of this container."""
        self._distributor = Distributor(self)
        self.own: dict[str, dict[Role, ServiceDescription | None]] = {}
        """Roles of the agents that live here, by agent, with their entries."""
        self._listeners: dict[tuple[str, str], dict[Listener, None]] = {}
        self._lookups: list[set[tuple[str, str]]] = []  # entries removed during each search under way
        self.open_subscriptions: set[GroupSubscription] = set()
        """Subscriptions in use."""
        self._is_closed = False
        self._watch: Watch | None = None
        self._opening = asyncio.Lock()
        self._opener: asyncio.Task[None] | None = None
        self._creating = asyncio.Lock()

    async def open(self) -> None:
        """Start to follow the directory, unless that is done.

        Raises:
            DirectoryError: it cannot be reached.
            ContainerClosedError: the container has ended.
            NameTakenError: an agent has the distributor's name.
        """
        self._check_open()
        if self._watch is None:
            async with self._opening:
                self._check_open()
                if self._watch is None:
                    self._distributor.begin()
                    await self._begin_to_watch()

    def open_later(self) -> None:
        """Start to follow the directory without waiting for that; log failures."""
        if self._watch is None and self._opener is None and not self._is_closed:
            self._opener = asyncio.get_running_loop().create_task(self._open_now(), name="opens groups")

    async def _open_now(self) -> None:
        try:
            await self.open()
        except FormicaryError as error:
            logger.warning("the roles of agents that have come are not followed: %s", error)
        finally:
            self._opener = None

    async def _begin_to_watch(self) -> None:
        watch = await self._backend.watch(Query(type=ROLE), self._take)
        if self._is_closed:  # meanwhile; nobody else would end it
            await watch.close()
        self._check_open()
        self._watch = watch

    def _check_open(self) -> None:
        if self._is_closed:
            raise ContainerClosedError(f"container {self.container.name} is not open")

    async def close(self) -> None:
        """Stop following the directory, and end all subscriptions."""
        self._is_closed = True
        for subscription in tuple(self.open_subscriptions):
            subscription.end()
        if self._opener is not None:
            self._opener.cancel()
            await asyncio.wait([self._opener])
        watch, self._watch = self._watch, None
        try:
            if watch is not None:
                await watch.close()
        finally:
            await self._distributor.stop()

    # -- players --------------------------------------------------------------------------------------------

    def find(self, community: str, group: str) -> Group | None:
        """Return a group known here, preferably one of this container only."""
        return self.local.find(community, group) or self.shared.find(community, group)

    async def look_up(self, query: Query) -> None:
        """Search the directory, and take over the results at once; errors as of its search."""
        gone: set[tuple[str, str]] = set()  # removals that the search may not know
        self._lookups.append(gone)
        try:
            found = await self._backend.search(query)
        finally:
            self._lookups = [other for other in self._lookups if other is not gone]
        self._take([service for service in found if (service.agent, service.name) not in gone], ())

    def listen(self, community: str, group: str, listener: Listener) -> None:
        """Call `listener` with each change of the players in a group."""
        self._listeners.setdefault((community, group), {})[listener] = None

    def ignore(self, community: str, group: str, listener: Listener) -> None:
        """Stop calling `listener`."""
        listeners = self._listeners.get((community, group), {})
        listeners.pop(listener, None)
        if not listeners:
            self._listeners.pop((community, group), None)

    def _changed_everywhere(self, agent: str, role: Role, has_come: bool) -> None:  # noqa: FBT001 -- a callback
        if self.local.find(role.community, role.group) is None:
            self._changed(agent, role, has_come)

    def _changed(self, agent: str, role: Role, has_come: bool) -> None:  # noqa: FBT001 -- a callback
        for listener in tuple(self._listeners.get((role.community, role.group), ())):
            listener(agent, role.role, has_come)

    def _take(self, services: Sequence[ServiceDescription], gone: Sequence[Gone]) -> None:
        """Take over entries of agents elsewhere from the directory; the container knows its own better."""
        for service in services:
            role = read_role(service.name)
            if role is not None and self._is_elsewhere(service.agent, container := container_of(service)):
                self.shared.put(service.agent, role, is_secured=is_secured(service), container=container)
        for each in gone:
            for missed in self._lookups:
                missed.add((each.agent, each.name))
            role = read_role(each.name)
            if role is not None and self._is_elsewhere(each.agent, self._seen_in(each.agent, role)):
                self.shared.remove(each.agent, role)

    def _is_elsewhere(self, agent: str, container: str | None) -> bool:
        """Return whether an agent lives elsewhere, so that its entries in the directory count."""
        own = self.container
        resident = own.dispatcher.agents.get(agent)
        if resident is not None and resident.state is not AgentState.TRANSIT:
            return False
        domain = container or agent.partition("@")[2]
        return domain != own.domain and is_container_of(domain, own.platform)

    def _seen_in(self, agent: str, role: Role) -> str | None:
        """Return the domain of the container where an agent is known to play a role; None for its home."""
        group = self.shared.find(role.community, role.group)
        return None if group is None else group.everybody.visitors.get(agent)

    # -- actions of this container's agents -----------------------------------------------------------------

    async def create(
        self, agent: BaseAgent, community: str, group: str, gatekeeper: Gatekeeper | None, *, is_shared: bool
    ) -> None:
        """Create a group, which the agent manages; arguments and errors as of `AgentGroups.create`."""
        async with self._creating:
            if self.find(community, group) is None and is_shared:
                await self.look_up(group_query(community, group))
            if self.find(community, group) is not None:
                raise GroupExistsError(
                    f"there is a group {group!r} in the community {community!r} already; join it"
                )
            role = Role(community, group, MANAGER)
            if gatekeeper is not None:  # agents that see the group may ask at once
                self.admission.set_gatekeeper(address_of(agent), community, group, gatekeeper)
            try:
                await self._play(agent, role, is_secured=gatekeeper is not None, is_shared=is_shared)
            except BaseException:
                self.admission.remove_gatekeeper(address_of(agent), community, group)
                raise

    async def request_role(self, agent: BaseAgent, role: Role, pass_key: object) -> None:
        """Give the agent a role, if it may have it; arguments and errors as of `AgentGroups.request_role`."""
        if self.find(role.community, role.group) is None:
            await self.look_up(group_query(role.community, role.group))
        group = self.find(role.community, role.group)
        if group is None:
            raise NoSuchGroupError(
                f"no group {role.group!r} in the community {role.community!r}; create it, or wait "
                "until it is announced here"
            )
        roles = group.roles_of.get(address_of(agent), {})
        if role.role in roles:
            return
        if role.role == MANAGER:
            raise AdmissionError(
                f"the role {MANAGER!r} is reserved for the creator of the group {role.group!r}"
            )
        is_shared = self.local.find(role.community, role.group) is None
        is_secured = group.is_secured
        if is_secured and MANAGER not in roles:
            await self._ask(address_of(agent), role, group, pass_key)
            if self.find(role.community, role.group) is None:
                raise NoSuchGroupError(f"the group {role.group!r} ended while its gatekeeper was deciding")
        await self._play(agent, role, is_secured=is_secured, is_shared=is_shared)

    async def _ask(self, agent: str, role: Role, group: Group, pass_key: object) -> None:
        """Return if the gatekeeper of a group admits an agent to a role; errors as of `admission`."""
        asked = None
        while True:
            manager = await self._manager(group, role)
            container = group.everybody.visitors.get(manager) or manager.partition("@")[2]
            try:
                await self.admission.ask(agent, role, manager, container, pass_key)
            except AdmissionError:
                if container == asked or group.everybody.visitors.get(manager, container) == container:
                    raise
                asked = container  # the manager has moved, and decides where it is now
            else:
                return

    async def _manager(self, group: Group, role: Role) -> str:
        """Return the manager that decides about a role of a secured group."""
        managers = group.managers()
        if not managers:
            await self.look_up(role._replace(role=MANAGER).query())
            managers = group.managers()
        if not managers:
            raise AdmissionError(
                f"the manager of the group {role.group!r} has left it, so no one can be admitted"
            )
        return managers[0]

    async def _play(self, agent: BaseAgent, role: Role, *, is_secured: bool, is_shared: bool) -> None:
        self._check_life(agent)
        address = address_of(agent)
        container = self.container_of(address)
        service = role.described(address, is_secured=is_secured, container=container) if is_shared else None
        # First here: once the directory knows, agents elsewhere may send messages to the role.
        self.own.setdefault(address, {})[role] = service
        (self.shared if is_shared else self.local).put(
            address, role, is_secured=is_secured, container=container
        )
        if service is None:
            return
        try:
            # If it exists, the agent has asked twice at once, or it is from an earlier agent of this name.
            with suppress(AlreadyRegisteredError):
                await self._backend.put(address, service, is_new=True)
        except BaseException:
            self._forget(address, role)
            raise
        self._check_life(agent)

    def container_of(self, agent: str) -> str | None:
        """Return this container's domain for an agent that lives here; None if it is its home."""
        own = self.container.domain
        return None if agent.partition("@")[2] == own else own

    def _check_life(self, agent: BaseAgent) -> None:
        if agent.state is AgentState.GONE:
            raise AgentStateError(f"agent {agent.name} has ended, so it cannot play a role")
        if agent.state is AgentState.TRANSIT:
            raise AgentStateError(f"agent {agent.name} is on its way to another container")

    async def leave_role(self, agent: str, role: Role) -> None:
        """Take a role from an agent; errors as of `AgentGroups.leave_role`."""
        roles = self.own.get(agent, {})
        if role not in roles:
            raise NotAMemberError(f"{agent} does not play the role {role.role!r} in the group {role.group!r}")
        if roles[role] is not None:
            with suppress(NotRegisteredError):  # it is gone, as wanted
                await self._backend.remove(agent, role.service)
        self._forget(agent, role)

    async def leave(self, agent: str, community: str, group: str) -> None:
        """Remove an agent from a group; errors as of `AgentGroups.leave`."""
        roles = [role for role in self.own.get(agent, ()) if role[:2] == (community, group)]
        if not roles:
            raise not_a_member(agent, group)
        for role in roles:
            await self.leave_role(agent, role)

    def agent_gone(self, agent: str) -> None:
        """Called when an agent has ended, or has deregistered all of its services."""
        for role in tuple(self.own.get(agent, ())):
            self._forget(agent, role)

    def _forget(self, agent: str, role: Role) -> None:
        roles = self.own.get(agent, {})
        if role not in roles:
            return  # it has ended while it was leaving
        service = roles.pop(role)
        if not roles:
            del self.own[agent]
        if role.role == MANAGER:
            self.admission.remove_gatekeeper(agent, role.community, role.group)
        (self.local if service is None else self.shared).remove(agent, role)

    # -- agents that move -----------------------------------------------------------------------------------

    def hand_over(self, agent: str) -> tuple[HeldRole, ...]:
        """Return the roles of an agent of this container that is about to move; nothing changes.

        Raises:
            MoveError: one of them cannot move.
        """
        held = []
        for role, entry in self.own.get(agent, {}).items():
            if entry is None:
                raise MoveError(
                    f"agent {agent.partition('@')[0]} cannot move: it plays the role {role.role!r} in the "
                    f"group {role.group!r}, which only exists in container {self.container.name}; it has "
                    "to leave that first"
                )
            gatekeeper = self.admission.hand_over(agent, role) if role.role == MANAGER else None
            held.append(HeldRole(*role, is_secured(entry), gatekeeper))
        return tuple(held)

    def take_over(self, agent: str, roles: Iterable[HeldRole]) -> dict[str, ServiceDescription]:
        """Give an agent that has arrived the roles from `hand_over`; return their entries by name."""
        container = self.container_of(agent)
        own = self.own.setdefault(agent, {})
        for each in roles:
            role = Role(each.community, each.group, each.role)
            own[role] = role.described(agent, is_secured=each.is_secured, container=container)
            if each.gatekeeper is not None:
                self.admission.take_over(agent, role, each.gatekeeper)
            self.shared.put(agent, role, is_secured=each.is_secured, container=container)
        self.open_later()
        return {entry.name: entry for entry in own.values() if entry is not None}

    def release(self, agent: str) -> None:
        """Forget an agent that lives elsewhere now: the directory knows its roles."""
        for role in self.own.pop(agent, {}):
            if role.role == MANAGER:
                self.admission.remove_gatekeeper(agent, role.community, role.group)


def address_of(agent: BaseAgent) -> str:
    """Return the full name of an agent that is in a container."""
    assert agent.address is not None, "an agent in a container has an address"
    return agent.address


def not_a_member(agent: str, group: str) -> NotAMemberError:
    """Return the error for an agent that is not in a group."""
    return NotAMemberError(f"{agent} is not in the group {group!r}; request a role there first")
