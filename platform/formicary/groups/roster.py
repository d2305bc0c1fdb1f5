"""Who plays which role in which group, as one container knows it; no input or output."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from formicary.groups.naming import MANAGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.groups.naming import Role


class Players:
    """The agents that play a role, or are in a group, by the domains of their containers."""

    __slots__ = ("_turns", "by_domain", "count")

    def __init__(self) -> None:
        self.by_domain: dict[str, dict[str, None]] = {}
        self.count = 0
        self._turns: OrderedDict[str, None] | None = None  # who was chosen least recently comes first

    def __iter__(self) -> Iterator[str]:
        for agents in self.by_domain.values():
            yield from agents

    def __contains__(self, agent: str) -> bool:
        return agent in self.by_domain.get(_domain(agent), ())

    def add(self, agent: str) -> None:
        """Add an agent that is not there."""
        self.by_domain.setdefault(_domain(agent), {})[agent] = None
        self.count += 1
        if self._turns is not None:
            self._turns[agent] = None
            self._turns.move_to_end(agent, last=False)

    def discard(self, agent: str) -> None:
        """Remove an agent that is there."""
        domain = _domain(agent)
        agents = self.by_domain[domain]
        del agents[agent]
        if not agents:
            del self.by_domain[domain]
        self.count -= 1
        if self._turns is not None:
            del self._turns[agent]

    def choose(self, other_than: str) -> str | None:
        """Return whoever was chosen least recently; None if there is nobody.

        Args:
            other_than: an agent that is not meant.
        """
        if self._turns is None:
            self._turns = OrderedDict.fromkeys(self)
        for agent in self._turns:
            if agent != other_than:
                self._turns.move_to_end(agent)
                return agent
        return None


class Group:
    """A group: there is one as long as it has members."""

    __slots__ = ("_secured", "everybody", "roles", "roles_of")

    def __init__(self) -> None:
        self.everybody = Players()
        self.roles: dict[str, Players] = {}
        self.roles_of: dict[str, dict[str, bool]] = {}  # by agent: roles, and whether the group is secured
        self._secured = 0  # entries that say so

    @property
    def is_secured(self) -> bool:
        """Whether it has a gatekeeper, as one of its members says."""
        return self._secured > 0

    def managers(self) -> list[str]:
        """Return who can be asked for a role in a secured group, in the order in which to ask."""
        players = self.roles.get(MANAGER, ())
        return sorted(agent for agent in players if self.roles_of[agent][MANAGER])

    def players(self, role: str | None) -> Players | None:
        """Return who plays a role, or for None all members; None if nobody does."""
        return self.everybody if role is None else self.roles.get(role)

    def put(self, agent: str, role: str, *, is_secured: bool) -> bool:
        """Have an agent play a role; return whether it did not before."""
        roles = self.roles_of.get(agent)
        if roles is None:
            roles = self.roles_of[agent] = {}
            self.everybody.add(agent)
        before = roles.get(role)
        self._secured += is_secured - bool(before)
        roles[role] = is_secured
        if before is None:
            self.roles.setdefault(role, Players()).add(agent)
        return before is None

    def remove(self, agent: str, role: str) -> bool:
        """Have an agent play a role no longer; return whether it did before."""
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
        changed: called when an agent has come to play a role, or plays it no longer: who, what, and whether
            it has come.
    """

    def __init__(self, changed: Callable[[str, Role, bool], None]) -> None:
        self._changed = changed
        self._groups: dict[str, dict[str, Group]] = {}  # by community, and name

    def find(self, community: str, group: str) -> Group | None:
        """Return a group, None if it has no members."""
        groups = self._groups.get(community)
        return None if groups is None else groups.get(group)

    def communities(self) -> tuple[str, ...]:
        """Return the names of the communities that have groups."""
        return tuple(self._groups)

    def groups(self, community: str) -> tuple[str, ...]:
        """Return the names of a community's groups."""
        return tuple(self._groups.get(community, ()))

    def put(self, agent: str, role: Role, *, is_secured: bool) -> None:
        """Have an agent play a role."""
        groups = self._groups.setdefault(role.community, {})
        group = groups.get(role.group)
        if group is None:
            group = groups[role.group] = Group()
        if group.put(agent, role.role, is_secured=is_secured):
            self._changed(agent, role, True)

    def remove(self, agent: str, role: Role) -> None:
        """Have an agent play a role no longer, if it does."""
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
