"""`formicary groups`: the groups and roles of a running platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.located import cells, fields, find_all
from formicary.cli.options import Json, examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary.directory.model.description import ServiceDescription
    from formicary.groups.naming import Role

EPILOG = examples("groups", "groups --community shop --role seller", "groups --group market --json")

_COLUMNS = ("COMMUNITY", "GROUP", "ROLE", "AGENT", "CONTAINER", "STATE")


@in_guest_session
async def groups(
    session: GuestSession,
    *,
    community: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only groups in this community.", show_default=False)
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only groups with this name.", show_default=False)
    ] = None,
    role: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only agents that play this role.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """List the groups of a running platform, and who plays which role.

    An agent has a line for each of its roles. Groups that only exist in one
    container are not listed. An empty list is not an error.

    CONTAINER, STATE and exit codes are those of `formicary df list`.
    """
    from formicary.cli.output import say_missing, show_json, show_table
    from formicary.core.names import natural
    from formicary.directory.model.query import Query
    from formicary.groups.naming import ROLE

    wanted = {"community": community, "group": group, "role": role}
    query = Query(type=ROLE, properties={name: value for name, value in wanted.items() if value is not None})
    members = sorted(_members(await find_all(session, query)), key=lambda each: (each[0], natural(each[1])))
    places = await session.management.locate(agent for _, agent in members)
    if as_json:
        found = [
            {**role._asdict(), "agent": agent, **fields(place)}
            for (role, agent), place in zip(members, places, strict=True)
        ]
        show_json({"members": found, "missing": places.missing})
    else:
        rows = (
            (*played, agent, *cells(place)) for (played, agent), place in zip(members, places, strict=True)
        )
        show_table(_COLUMNS, rows)
    say_missing(places.missing)


def _members(services: Iterable[ServiceDescription]) -> Iterator[tuple[Role, str]]:
    """Yield the roles in the directory and their players; skip entries that are not ours."""
    from formicary.groups.naming import read_role

    for service in services:
        if (role := read_role(service.name)) is not None:
            yield role, service.agent
