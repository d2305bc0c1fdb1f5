"""Services in the directory, with the locations and states of their agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formicary.cli.guest_session import GuestSession
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.query import Query
    from formicary.management.descriptions import AgentDescription, AgentPlace

PAGE = 10_000
"""The most services that one search returns."""


async def find_all(session: GuestSession, query: Query) -> tuple[ServiceDescription, ...]:
    """Return all services that match a query, ignoring its limits."""
    from msgspec.structs import replace

    found: dict[tuple[str, str], ServiceDescription] = {}  # services may come and go between pages
    offset = 0
    while True:
        page = await session.directory.search(replace(query, max_results=PAGE, offset=offset))
        found |= {(service.agent, service.name): service for service in page}
        offset += len(page)
        if len(page) < PAGE:
            return tuple(found.values())


def state_of(agent: AgentDescription | AgentPlace) -> str:
    """Return an agent's state for a table, with the destination of one in transit."""
    if agent.state is None:
        return ""
    return agent.state.value if agent.transit is None else f"{agent.state.value} {agent.transit}"


def cells(place: AgentPlace) -> tuple[str, str]:
    """Return the columns CONTAINER and STATE of a table."""
    return (place.container or "").partition(".")[0], state_of(place)


def fields(place: AgentPlace) -> dict[str, Any]:
    """Return the location and state of an agent for JSON."""
    return {"container": place.container, "state": place.state, "transit": place.transit}
