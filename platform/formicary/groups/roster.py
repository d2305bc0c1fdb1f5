"""The players of roles in groups, as one container knows them; no I/O."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from formicary.groups.naming import MANAGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.groups.naming import Role


class Players:
    """The players of a role, or the members of a group."""

    __slots__ = ("_turns", "by_domain", "count", "visitors")

    def __init__(self) -> None:
        self.by_domain: dict[str, dict[str, None]] = {}
        """The agents in their home containers, by the domains of these."""
        self.visitors: dict[str, str] = {}
        """The agents that live elsewhere, with the domains of their containers."""
        self.count = 0
        self._turns: OrderedDict[str, None] | None = None  # the least recently chosen first

    def __iter__(self) -> Iterator[str]:
        for agents in self.by_domain.values():
            yield from agents
        yield from self.visitors

    def __contains__(self, agent: str) -> bool:
        return agent in self.by_domain.get(_domain(agent), ()) or agent in self.visitors

    def add(self, agent: str, container: str | None) -> None:
        """Add an agent that is not there yet.

        Args:
            agent: its full name.
            container: the domain of the container in which it lives; None for its home.
        """
        self._place(agent, container)
        self.count += 1
        if self._turns is not None:
            self._turns[agent] = None
            self._turns.move_to_end(agent, last=False)

    def discard(self, agent: str) -> None:
        """Remove an agent that is there."""
        self._displace(agent)
        self.count -= 1
        if self._turns is not None:
            del self._turns[agent]

    def move(self, agent: str, container: str | None) -> None:
        """Record where an agent that is there lives now; arguments as of `add`."""
        self._displace(agent)
        self._place(agent, container)

    def _place(self, agent: str, container: str | None) -> None:
        if container is None:
            self.by_domain.setdefault(_domain(agent), {})[agent] = None
        else:
            self.visitors[agent] = container

    def _displace(self, agent: str) -> None:
        if self.visitors.pop(agent, None) is not None:
            return
        domain = _domain(agent)
        agents = self.by_domain[domain]
        del agents[agent]
        if not agents:
            del self.by_domain[domain]

    def choose(self, other_than: str) -> str | None:
        """Return the agent that was chosen least recently; None if there is none."""
        if self._turns is None:
            self._turns = OrderedDict.fromkeys(self)
        for agent in self._turns:
            if agent != other_than:
                self._turns.move_to_end(agent)
                return agent
        return None


class Group:
    """A group, which exists as long as it has members."""

    __slots__ = ("_secured", "everybody", "roles", "roles_of")

    def __init__(self) -> None:
        self.everybody = Players()
        self.roles: dict[str, Players] = {}
        self.roles_of: dict[str, dict[str, bool]] = {}  # by agent: roles, and whether the group is secured
        self._secured = 0  # number of entries that say so

    @property
    def is_secured(self) -> bool:
        """Whether it has a gatekeeper, according to one of its members."""
        return self._secured > 0

    def managers(self) -> list[str]:
        """Return the agents to ask for a role in a secured group, in that order."""
        players = self.roles.get(MANAGER, ())
        return sorted(agent for agent in players if self.roles_of[agent][MANAGER])

    def players(self, role: str | None) -> Players | None:
        """Return the players of a role, or for None all members; None if there are none."""
        return self.everybody if role is None else self.roles.get(role)

    def put(self, agent: str, role: str, *, is_secured: bool, container: str | None = None) -> bool:
        """Add a player of a role; return whether it is new.

        Args:
            agent: its full name.
            role: the role's name.
            is_secured: whether the group has a gatekeeper, according to it.
            container: the domain of the container in which it lives; None for its home.
        """
        roles = self.roles_of.get(agent)
        if roles is None:
            roles = self.roles_of[agent] = {}
            self.everybody.add(agent, container)
        elif self.everybody.visitors.get(agent) != container:
            for players in (self.everybody, *(self.roles[each] for each in roles)):
                players.move(agent, container)
        before = roles.get(role)
        self._secured += is_secured - bool(before)
        roles[role] = is_secured
        if before is None:
            self.roles.setdefault(role, Players()).add(agent, container)
        return before is None

    def remove(self, agent: str, role: str) -> bool:
        """Remove a player of a role; return whether there was one."""
        roles = self.roles_of.get(agent, {})
        is_secured = roles.pop(role, None)
        if is_secured is None:
            return False
        self._secured -= is_secured
        players = self.roles[role]
        players.discard(agent)
        if not players.count:
            del self.roles[role]
        if not roles:
            del self.roles_of[agent]
            self.everybody.discard(agent)
        return True


class Roster:
    """All groups.

    Args:
        changed: called when a player is added or removed, with the agent, the role, and whether it is added.
    """

    def __init__(self, changed: Callable[[str, Role, bool], None]) -> None:
        self._changed = changed
        self._groups: dict[str, dict[str, Group]] = {}  # by community, and name

    def find(self, community: str, group: str) -> Group | None:
        """Return a group; None if it has no members."""
        groups = self._groups.get(community)
        return None if groups is None else groups.get(group)

    def communities(self) -> tuple[str, ...]:
        """Return the names of the communities that have groups."""
        return tuple(self._groups)

    def groups(self, community: str) -> tuple[str, ...]:
        """Return the names of a community's groups."""
        return tuple(self._groups.get(community, ()))

    def put(self, agent: str, role: Role, *, is_secured: bool, container: str | None = None) -> None:
        """Add a player of a role; arguments as of `Group.put`."""
        groups = self._groups.setdefault(role.community, {})
        group = groups.get(role.group)
        if group is None:
            group = groups[role.group] = Group()
        if group.put(agent, role.role, is_secured=is_secured, container=container):
            self._changed(agent, role, True)

    def remove(self, agent: str, role: Role) -> None:
        """Remove a player of a role, if there is one."""
        group = self.find(role.community, role.group)
        if group is None or not group.remove(agent, role.role):
            return
        if not group.everybody.count:
            groups = self._groups[role.community]
            del groups[role.group]
            if not groups:
                del self._groups[role.community]
        self._changed(agent, role, False)


def _domain(agent: str) -> str:
    return agent.partition("@")[2]
