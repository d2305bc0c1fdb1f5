"""Finds partners by name, by the service that they offer, or by their role in a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from formicary.core.errors import FailedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.protocols.conversations import Conversations


class Partners(Protocol):
    """Finds the partners of a conversation."""

    async def find(self, conversations: Conversations) -> tuple[str, ...]:
        """Return their full names."""


class Search(msgspec.Struct, frozen=True):
    """All agents that offer a service, as returned by `search`.

    Attributes:
        fields: the arguments of `Query`.
    """

    fields: dict[str, Any]

    async def find(self, conversations: Conversations) -> tuple[str, ...]:
        """Return the full names of all agents that the directory finds."""
        found = await conversations.agent.directory.search(**self.fields)
        return tuple(dict.fromkeys(service.agent for service in found))


class Role(msgspec.Struct, frozen=True):
    """All agents that play a role in a group, as returned by `role`.

    Attributes:
        group: the group's name.
        role: the role's name.
        community: the name of the group's community.
    """

    group: str
    role: str
    community: str = "public"

    async def find(self, conversations: Conversations) -> tuple[str, ...]:
        """Return the full names of the players, except for the agent itself."""
        players = await conversations.agent.groups.agents(self.group, self.role, community=self.community)
        return tuple(player for player in players if player != conversations.address)


def search(**fields: Any) -> Search:
    """Return all agents that offer a service, as partners of a conversation: `search(type="carrier")`.

    Args:
        fields: the arguments of `Query`.
    """
    return Search(fields)


def role(group: str, role: str, *, community: str = "public") -> Role:
    """Return all agents that play a role in a group, as partners of a conversation.

    Args:
        group: the group's name.
        role: the role's name.
        community: the name of the group's community.
    """
    return Role(group, role, community)


async def find_all(conversations: Conversations, partners: Iterable[str] | Partners) -> tuple[str, ...]:
    """Return the full names of partners, each once."""
    if isinstance(partners, Search | Role):
        return await partners.find(conversations)
    found: dict[str, None] = {}
    names = [partners] if isinstance(partners, str) else partners
    for name in names:  # type: ignore[union-attr]  # names
        known = conversations.known_name(name)
        found[await conversations.full_name(name) if known is None else known] = None
    return tuple(found)


async def find_one(conversations: Conversations, partner: str | Partners) -> str:
    """Return the full name of the first partner found.

    Raises:
        FailedError: there is none.
    """
    if isinstance(partner, str):
        return await conversations.full_name(partner)
    found = await partner.find(conversations)
    if not found:
        raise FailedError(f"there is no one to ask: {partner} found no agent")
    return found[0]
