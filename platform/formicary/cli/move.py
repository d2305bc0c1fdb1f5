"""`formicary move`: an agent goes on in another container of a platform that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.agent_names import full_name
from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

EPILOG = examples("move shopper c2", "move shopper@c1 c2 --time-out 120 --json")

AgentName = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="shopper@c1, the full name, or shopper where only one agent is named so.",
        show_default=False,
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        "--time-out", metavar="SECONDS", min=0.1, help="How long to wait; its before_move() may take long."
    ),
]


@in_guest_session
async def move(
    session: GuestSession,
    agent: AgentName,
    container: Annotated[
        str, typer.Argument(metavar="CONTAINER", help="Where it shall go on.", show_default=False)
    ],
    *,
    seconds: Seconds = 30.0,
    as_json: Json = False,
) -> None:
    """Have an agent go on in another container, under the same name.

    Its class has to be installed there, and the container has to accept it:
    Container(accepts=...). Where the agent is there already, nothing happens.

    The exit code is 1 if it does not move, and goes on where it is; or if it has
    ended on its way, or has not answered in time, and may move yet. The sentence
    says which; --json prints it, too.
    """

    async def move_it(name: str) -> None:
        await session.management.move(name, container, timeout=seconds)

    await _move(session, agent, container, move_it, as_json=as_json)


async def _move(
    session: GuestSession,
    agent: str,
    container: str,
    move_it: Callable[[str], Awaitable[None]],
    *,
    as_json: bool,
) -> None:
    """Have an agent move, and print where it is now, or that it does not."""
    from formicary.cli.output import show_json

    label, _, platform = container.partition(".")
    where = {"container": f"{label}.{platform or session.container.platform}"}
    name = agent
    try:
        name = await full_name(session, agent)
        await move_it(name)
    except FormicaryError as error:
        if as_json:
            show_json({"agent": name} | where | {"done": False, "error": str(error)})
        raise
    if as_json:
        show_json({"agent": name} | where | {"done": True, "error": None})
    else:
        say(f"moved {name} to {label}")
