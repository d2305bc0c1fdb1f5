"""`formicary agents`: who lives in the containers of a platform that runs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples

EPILOG = examples("agents", "agents 'printer-*' --state suspended", "agents --container c2 --json")


@in_guest_session
async def agents(
    session: GuestSession,
    pattern: Annotated[
        str,
        typer.Argument(
            help="Only those whose name matches: * is any number of characters, ? is one. With an @, as in "
            "'*@c2', it is for full names.",
            show_default=False,
        ),
    ] = "*",
    *,
    container: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only those who live there.", show_default=False)
    ] = None,
    state: Annotated[
        Literal["active", "suspended", "waiting"] | None,
        typer.Option(help="Only those in this state.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the agents of a platform that runs: name, state, container and class.

    Containers' own agents, such as ams, are left out. It is no error if there are
    none. Exit codes are those of `formicary ps`.
    """
    from formicary.cli.output import report_missing, show_json, show_table

    found = await session.management.agents(pattern, state=state, container=container)
    if as_json:
        show_json({"agents": found, "missing": found.missing})
    else:
        rows = [
            (each.name, each.state.value, each.container.partition(".")[0], each.class_name) for each in found
        ]
        show_table(("NAME", "STATE", "CONTAINER", "CLASS"), rows)
    report_missing(found.missing)
