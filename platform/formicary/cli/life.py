"""`formicary kill`, `suspend`, `resume`, `deactivate` and `activate`: agents' lives in a running platform."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.agent_names import full_name
from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

KILL = examples("kill printer", "kill printer-1@c2 printer-2@c2")
SUSPEND = examples("suspend printer", "suspend printer@c2 --join c1")
RESUME = examples("resume printer", "resume printer@c2 --json")
DEACTIVATE = examples("deactivate printer", "deactivate printer@c2 --for 3600")
ACTIVATE = examples("activate printer", "activate printer@c2 --json")

Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...",
        help="Full name, such as printer@c2, or a short one, such as printer, if it is unique.",
        show_default=False,
    ),
]


@in_guest_session
async def kill(session: GuestSession, names: Names, *, as_json: Json = False) -> None:
    """Stop agents, as if they called stop().

    An agent that does not end within 10 seconds is abandoned, and counts as gone.
    The exit code is 1 if any agent cannot be killed; the others are.
    """
    await _do_all(session, names, "killed", session.management.kill, as_json=as_json)


@in_guest_session
async def suspend(session: GuestSession, names: Names, *, as_json: Json = False) -> None:
    """Suspend agents; their messages wait until they are resumed.

    Micro-agents cannot be suspended. The exit code is 1 if any agent cannot be
    suspended; the others are.
    """
    await _do_all(session, names, "suspended", session.management.suspend, as_json=as_json)


@in_guest_session
async def resume(session: GuestSession, names: Names, *, as_json: Json = False) -> None:
    """Resume suspended agents.

    The exit code is 1 if any agent cannot be resumed; the others are.
    """
    await _do_all(session, names, "resumed", session.management.resume, as_json=as_json)


@in_guest_session
async def deactivate(
    session: GuestSession,
    names: Names,
    *,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--for",
            metavar="SECONDS",
            min=0,
            help="Also wake them after this many seconds.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Save agents to a file, where they sleep until a message wakes them.

    An agent must be in its home container, and have only data that a move could
    carry. One with unread messages does not fall asleep. The exit code is 1 if
    any agent cannot sleep; it continues, and the others sleep.
    """

    async def deactivate_one(name: str) -> None:
        await session.management.deactivate(name, seconds)

    await _do_all(session, names, "deactivated", deactivate_one, as_json=as_json)


@in_guest_session
async def activate(session: GuestSession, names: Names, *, as_json: Json = False) -> None:
    """Wake sleeping agents.

    The exit code is 1 if any agent is not asleep or cannot be woken; the others
    are.
    """
    await _do_all(session, names, "activated", session.management.activate, as_json=as_json)


async def _do_all(
    session: GuestSession, names: list[str], done: str, do: Callable[[str], Awaitable[None]], *, as_json: bool
) -> None:
    from formicary.cli.output import show_json

    async def do_one(name: str) -> tuple[str, str | None]:
        try:
            full = await full_name(session, name)
            await do(full)
        except FormicaryError as error:
            return name, str(error)
        return full, None

    results = await asyncio.gather(*map(do_one, dict.fromkeys(names)))
    if as_json:
        show_json([{"agent": name, "done": error is None, "error": error} for name, error in results])
    for name, error in results:
        if error is not None:
            say(f"formicary: {error}", err=True)
        elif not as_json:
            say(f"{done} {name}")
    if any(error is not None for _, error in results):
        raise typer.Exit(1)
