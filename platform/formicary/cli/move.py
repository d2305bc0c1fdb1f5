"""`formicary move`, `retract` and `clone`: move or copy agents of a running platform."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.core.base_agent import ANSWERS_WITHIN
from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MOVE = examples("move shopper c2", "move shopper@c1 c2 --timeout 120 --json")
RETRACT = examples("retract shopper", "retract shopper@c3 --join c1 --json")
CLONE = examples("clone shopper c2 shopper-2", "clone shopper@c1 c1 twin --json")

AgentName = Annotated[
    str,
    typer.Argument(
        metavar="AGENT",
        help="Full name, such as shopper@c1, or a short one, such as shopper, if it is unique.",
        show_default=False,
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.1,
        help="How long to wait for the agent, including its before_move() or after_clone().",
    ),
]


@in_guest_session
async def move(
    session: GuestSession,
    agent: AgentName,
    container: Annotated[
        str, typer.Argument(metavar="CONTAINER", help="The container to move to.", show_default=False)
    ],
    *,
    seconds: Seconds = ANSWERS_WITHIN,
    as_json: Json = False,
) -> None:
    """Move an agent to another container, keeping its name.

    Its class must be installed there, and the container must accept it:
    Container(accepts=...). If the agent is already there, nothing happens.

    The exit code is 1 if the agent does not move and continues where it is, if it
    ended on the way, or if there was no answer in time, in which case it may
    still move. The error says which; --json prints it, too.
    """
    do = partial(session.management.move, to=container, timeout=seconds)
    await _report(session, agent, container, "moved", do, as_json=as_json)


@in_guest_session
async def retract(
    session: GuestSession, agent: AgentName, *, seconds: Seconds = ANSWERS_WITHIN, as_json: Json = False
) -> None:
    """Move an agent to the platform's main container.

    Same as `formicary move` to that container, with the same exit codes.
    """
    do = partial(session.management.retract, timeout=seconds)
    await _report(session, agent, session.main.domain, "moved", do, as_json=as_json)


@in_guest_session
async def clone(
    session: GuestSession,
    agent: AgentName,
    container: Annotated[
        str, typer.Argument(metavar="CONTAINER", help="The container for the copy.", show_default=False)
    ],
    new_name: Annotated[str, typer.Argument(metavar="NAME", help="The copy's name.", show_default=False)],
    *,
    seconds: Seconds = ANSWERS_WITHIN,
    as_json: Json = False,
) -> None:
    """Copy an agent to a container under a new name.

    Its class must be installed there, and the container must accept it:
    Container(accepts=...). The original agent continues where it is.

    The exit code is 1 if there is no copy, or if there was no answer in time, in
    which case it may still start. The error says which; --json prints it, too.
    """
    do = partial(session.management.clone, to=container, new_name=new_name, timeout=seconds)
    await _report(session, agent, container, "cloned", do, as_json=as_json)


async def _report(
    session: GuestSession,
    agent: str,
    container: str,
    done: str,
    do: Callable[[str], Awaitable[str | None]],
    *,
    as_json: bool,
) -> None:
    """Run an action on an agent, and print the result; with JSON also the error.

    `do` performs it on the agent of a full name, and returns the copy's full name, if any.
    """
    from formicary.cli.output import show_json

    label, _, platform = container.partition(".")
    result: dict[str, Any] = {
        "agent": agent,
        "container": f"{label}.{platform or session.container.platform}",
    }
    try:
        result["agent"] = name = await session.full_name(agent)
        copy = await do(name)
    except FormicaryError as error:
        if as_json:
            show_json(result | {"done": False, "error": str(error)})
        raise
    if as_json:
        show_json(result | ({} if copy is None else {"clone": copy}) | {"done": True, "error": None})
    else:
        say(f"{done} {name} to {label}" + ("" if copy is None else f" as {copy}"))
