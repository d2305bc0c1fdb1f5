"""Agents as commands name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.errors import UnknownAgentError

if TYPE_CHECKING:
    from formicary.cli.guest_session import GuestSession


async def full_name(session: GuestSession, name: str) -> str:
    """Return the full name of an agent, which may be given by its own name if no other has that.

    Raises:
        InvalidNameError: it is no name.
        UnknownAgentError: there is no such agent, or there are several.
    """
    from formicary.core.names import check_receiver, complete

    check_receiver(name)
    if "@" in name:
        return complete(name, session.main.domain, session.container.platform)
    # A name may have asterisks of its own; what else it finds then is passed over.
    agents = await session.management.list_agents(name.replace("*", "?"))
    found = [agent.name for agent in agents if agent.name.partition("@")[0] == name]
    if not found:
        own = complete(name, session.main.domain, session.container.platform)
        (place,) = await session.management.locate([own])
        if place.state is not None:  # a container's own agent, which no list has: what is asked of it says so
            return own
        silent = "".join(f"; {each.domain} could not be reached" for each in agents.missing)
        raise UnknownAgentError(f"no agent named {name} on the platform{silent}")
    if len(found) > 1:
        raise UnknownAgentError(f"{len(found)} agents are named {name}; use a full name, such as {found[0]}")
    return found[0]
