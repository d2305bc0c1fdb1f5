"""Move an agent's registrations and roles with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from formicary.core.errors import MoveError
from formicary.directory.model.description import MOST_SERVICES
from formicary.directory.model.registrations import Registrations, Successor
from formicary.groups.naming import HeldRole  # noqa: TC001 -- msgspec reads the types

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.directory.interface import Backend
    from formicary.groups.service import GroupService


class _AttachedState(msgspec.Struct, frozen=True, array_like=True):
    registrations: Registrations
    roles: tuple[HeldRole, ...] = ()


class AttachedState:
    """Hands over the attached state of agents that leave, and takes over that of agents that arrive.

    Args:
        backend: the container's part of the directory.
        find_groups: returns the container's part of the groups, if there is one.
        open_groups: returns it, and creates it if there is none.
    """

    def __init__(
        self,
        backend: Backend,
        find_groups: Callable[[], GroupService | None],
        open_groups: Callable[[], GroupService],
    ) -> None:
        self._backend = backend
        self._find_groups = find_groups
        self._open_groups = open_groups

    def hand_over(self, agent: str) -> Any:
        """Return the attached state of an agent at rest, as plain data; None if it has none.

        Nothing changes: the agent may stay after all. While it is in transit, it registers nothing.

        Args:
            agent: its full name.

        Raises:
            MoveError: some of it cannot be carried.
        """
        groups = self._find_groups()
        roles = () if groups is None else groups.hand_over(agent)
        registrations = self._backend.hand_over(agent)
        if registrations is None and not roles:
            return None
        return msgspec.to_builtins(_AttachedState(registrations or Registrations(), roles))

    def check(self, agent: str, attached_state: Any) -> None:
        """Check that an agent can bring this; nothing changes.

        Args:
            agent: its full name.
            attached_state: what `hand_over` returned in another container.

        Raises:
            MoveError: it cannot.
        """
        if attached_state is not None:
            _read(agent, attached_state)

    def take_over(self, agent: str, attached_state: Any) -> Any:
        """Adopt the attached state of an agent that lives here now.

        Readers elsewhere continue to find its services, each once. Call it before its behaviours start.

        Args:
            agent: its full name.
            attached_state: what `hand_over` returned where it comes from.

        Returns:
            Plain data for `release` there.

        Raises:
            MoveError: it is invalid; nothing has changed.
        """
        if attached_state is None:
            return None
        read = _read(agent, attached_state)
        registrations = read.registrations
        if read.roles:
            entries = self._open_groups().take_over(agent, read.roles)
            services = (entries.pop(each.name, each) for each in registrations.services)
            registrations = replace(registrations, services=tuple(services))
        successor = self._backend.take_over(agent, registrations)
        return None if successor is None else msgspec.to_builtins(successor)

    def release(self, agent: str, successor: Any = None) -> None:
        """Drop the attached state of an agent that has been taken over elsewhere, or has ended.

        Args:
            agent: its full name.
            successor: what `take_over` returned there.
        """
        groups = self._find_groups()
        if groups is not None:
            groups.release(agent)
        self._backend.release(agent, _read_successor(successor))


def _read(agent: str, attached_state: Any) -> _AttachedState:
    try:
        read = msgspec.convert(attached_state, _AttachedState)
    except ValueError as error:
        raise MoveError(f"cannot read what {agent} has registered: {error}") from None
    services = read.registrations.services
    if len(services) > MOST_SERVICES or any(each.agent != agent for each in services):
        raise MoveError(f"{agent} brings other agents' services, or more than {MOST_SERVICES}")
    return read


def _read_successor(successor: Any) -> Successor | None:
    """Return where the registrations are now; None if unknown: readers find them when they come."""
    try:
        return None if successor is None else msgspec.convert(successor, Successor)
    except ValueError:
        return None
