"""`formicary create`: creates an agent on a running platform."""

from __future__ import annotations

from typing import Annotated

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.cli.values import parse_pairs

EPILOG = examples(
    "create shop.printers:Printer laser --container c2",
    'create shop.printers:Printer laser --argument pages=20 --argument \'trays=\\["a4", "a5"]\'',
)


@in_guest_session
async def create(
    session: GuestSession,
    class_name: Annotated[
        str,
        typer.Argument(
            metavar="CLASS", help="The agent's class, as package.module:Class.", show_default=False
        ),
    ],
    agent: Annotated[str, typer.Argument(metavar="NAME", help="The agent's name.", show_default=False)],
    *,
    container: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The container to create it in.", show_default="the platform's container"
        ),
    ] = None,
    argument: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="An argument of the class, as JSON or plain text; repeat for several.",
            show_default="none",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Create and start an agent, and print its full name.

    The container must allow it: `formicary run --allow-create PACKAGE`, or
    Container(creatable=...) in a program.

    The exit code is 1 if it does not, or if the agent cannot be created.
    """
    from formicary.cli.output import show_json

    arguments = parse_pairs("--argument", argument)
    name = await session.management.create(class_name, agent, container=container, arguments=arguments)
    if as_json:
        show_json({"agent": name})
    else:
        say(f"created {name}")
