"""`formicary agents`: the agents of a running platform."""

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
            help="Only agents whose name matches: * stands for any characters, ? for exactly one. A "
            "pattern with an @, such as '*@c2', matches full names.",
            show_default=False,
        ),
    ] = "*",
    *,
    container: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only agents in this container.", show_default=False)
    ] = None,
    state: Annotated[
        Literal["active", "suspended", "waiting", "transit", "deactivated"] | None,
        typer.Option(help="Only agents in this state.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the agents of a running platform: name, state, container and class.

    An agent whose behaviours fail stays active; the last columns count its
    behaviours that are still running and those that failed, with the latest
    failure.

    CONTAINER is where an agent is now; its name has the container where it
    started. For an agent in transit, STATE shows its destination, since when it
    has been moving, and what it is waiting for.

    Containers' own agents, such as ams, are not listed. An empty list is not an
    error. Exit codes are those of `formicary ps`.
    """
    from formicary.cli.output import report_missing, show_json, show_table

    found = await session.management.list_agents(pattern, state=state, container=container)
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
