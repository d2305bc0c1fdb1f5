"""`formicary agents`: who lives in the containers of a platform that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.located import state_of
from formicary.cli.options import Json, examples

if TYPE_CHECKING:
    from formicary.management.descriptions import AgentDescription

EPILOG = examples("agents", "agents 'printer-*' --state suspended", "agents --container c2 --json")

_COLUMNS = ("NAME", "STATE", "CONTAINER", "CLASS", "#BEHAVIOURS", "#FAILED", "LAST FAILURE")


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
        Literal["active", "suspended", "waiting", "transit", "deactivated"] | None,
        typer.Option(help="Only those in this state.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the agents of a running platform: name, state, container and class.

    An agent whose behaviours fail stays active; the last columns say how many of
    them have not ended, how many have failed, and with what the latest one has.

    The container is where an agent lives now; its name has the one where it began.
    Of one in transit, the state has where it goes, since when, and what it waits for.

    Containers' own agents, such as ams, are left out. It is no error if there are
    none. Exit codes are those of `formicary ps`.
    """
    from formicary.cli.output import report_missing, show_json, show_table

    found = await session.management.agents(pattern, state=state, container=container)
    if as_json:
        show_json({"agents": found, "missing": found.missing})
    else:
        show_table(_COLUMNS, map(_row, found))
    report_missing(found.missing)


def _row(agent: AgentDescription) -> tuple[str, ...]:
    failure = agent.last_failure
    return (
        agent.name,
        state_of(agent),
        agent.container.partition(".")[0],
        agent.class_name,
        "-" if agent.behaviours is None else str(agent.behaviours),
        str(agent.failures),
        "" if failure is None else f"{failure.part}: {failure.what}",
    )
