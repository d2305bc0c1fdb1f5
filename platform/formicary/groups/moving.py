"""The roles of agents that move from one container to another: they go along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import InvalidNameError, MoveError
from formicary.core.quoting import shorten
from formicary.groups.naming import MANAGER, Role, check_name, is_secured

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.directory.model.description import ServiceDescription
    from formicary.groups.service import GroupService


class HeldRole(msgspec.Struct, frozen=True, array_like=True):
    """A role that goes along with an agent.

    Args:
        community: the name of the community.
        group: the name of the group.
        role: the name of the role.
        is_secured: whether the group has a gatekeeper.
        gatekeeper: the name of the agent's method that is it; None if it is none.

    Raises:
        ValueError: one of the names cannot be one.
    """

    community: str
    group: str
    role: str
    is_secured: bool = False
    gatekeeper: str | None = None

    def __post_init__(self) -> None:
        try:
            for field in ("community", "group", "role"):
                check_name(field, getattr(self, field))
        except InvalidNameError as error:
            raise ValueError(str(error)) from None
        if self.gatekeeper is not None and not self.gatekeeper.isidentifier():
            raise ValueError(f"no method has the name {shorten(self.gatekeeper)}")


def hand_over(service: GroupService, agent: str) -> tuple[HeldRole, ...]:
    """Return the roles that an agent of this container plays, which is about to move. Nothing changes.

    Args:
        service: the container's part of the groups.
        agent: the full name of the agent.

    Raises:
        MoveError: one of them cannot go along.
    """
    return tuple(_hand_over(service, agent, *each) for each in service.own.get(agent, {}).items())


def _hand_over(service: GroupService, agent: str, role: Role, entry: ServiceDescription | None) -> HeldRole:
    if entry is None:
        raise MoveError(
            f"agent {agent.partition('@')[0]} cannot move: it plays the role {role.role!r} in the "
            f"group {role.group!r}, which only exists in container {service.container.name}; it has "
            "to leave that first"
        )
    gatekeeper = service.admission.hand_over(agent, role) if role.role == MANAGER else None
    return HeldRole(*role, is_secured(entry), gatekeeper)


def take_over(service: GroupService, agent: str, roles: Iterable[HeldRole]) -> dict[str, ServiceDescription]:
    """Have an agent that lives here now play what it has played elsewhere.

    Args:
        service: the container's part of the groups.
        agent: the full name of the agent.
        roles: what `hand_over` has returned there.

    Returns:
        What is to stand for the roles in the directory from now on, by name.
    """
    container = service.container_of(agent)
    own = service.own.setdefault(agent, {})
    for each in roles:
        role = Role(each.community, each.group, each.role)
        own[role] = role.described(agent, is_secured=each.is_secured, container=container)
        if each.gatekeeper is not None:
            service.admission.take_over(agent, role, each.gatekeeper)
        service.shared.put(agent, role, is_secured=each.is_secured, container=container)
    service.open_later()
    return {entry.name: entry for entry in own.values() if entry is not None}


def release(service: GroupService, agent: str) -> None:
    """Have nothing to do with an agent any more that lives elsewhere now: the directory knows its roles.

    Args:
        service: the container's part of the groups.
        agent: the full name of the agent.
    """
    for role in service.own.pop(agent, {}):
        if role.role == MANAGER:
            service.admission.remove_gatekeeper(agent, role.community, role.group)
