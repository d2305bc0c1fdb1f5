"""`formicary move`: an agent goes on in another container of a platform that runs."""

from __future__ import annotations

from typing import Annotated

import typer

from formicary.cli.agent_names import full_name
from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say

EPILOG = examples("move shopper c2", "move shopper@c1 c2 --json")


@in_guest_session
async def move(
    session: GuestSession,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="shopper@c1, the full name, or shopper where only one agent is named so.",
            show_default=False,
        ),
    ],
    container: Annotated[
        str, typer.Argument(metavar="CONTAINER", help="Where it shall go on.", show_default=False)
    ],
    *,
    as_json: Json = False,
) -> None:
    """Have an agent go on in another container, under the same name.

    Its class has to be installed there, and the container has to accept it:
    Container(accepts=...). Where the agent is there already, nothing happens.

    The exit code is 1 if it does not move, and goes on where it is; or if it has
    ended on its way, or has not answered within 30 s, and may move yet. The
    sentence says which.
    """
    from formicary.cli.output import show_json

    name = await full_name(session, agent)
    await session.management.move(name, container)
    if as_json:
        show_json({"agent": name, "container": container})
    else:
        say(f"moved {name} to {container}")
