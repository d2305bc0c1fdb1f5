"""`formicary top`: live figures of a running platform."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples
from formicary.cli.output import say

if TYPE_CHECKING:
    from formicary.management.descriptions import Listing
    from formicary.observe.metrics import Figures

EPILOG = examples("top", "top --once", "top --join c1 --every 5 --json")

Once = Annotated[bool, typer.Option("--once", help="Print once and exit.")]
Every = Annotated[
    float, typer.Option("--every", metavar="SECONDS", min=0.1, max=3600, help="Refresh interval.")
]


@in_guest_session
async def top(
    session: GuestSession, *, once: Once = False, every: Every = 1.0, as_json: Json = False
) -> None:
    """Show the live CPU, memory, messages and links of a platform's containers.

    Refreshes every second until Ctrl-C. Messages are counted where they enter or
    leave a container and where micro-agents handle them; behaviours show how
    often they run. CPU by group and the busiest agents are only shown for
    containers started with --cpu-by-group.

    The exit code is 1 if a container does not answer (with --once), 2 if an
    option is invalid, 3 if the platform cannot be reached, and 130 after Ctrl-C.
    """
    from formicary.cli.output import report_missing

    before = await session.management.figures()
    if once:
        await asyncio.sleep(every)
        after = await session.management.figures()
        _print(before, after, as_json=as_json)
        report_missing(after.missing)
    elif as_json or not sys.stdout.isatty():
        while True:
            await asyncio.sleep(every)
            session.check()
            after = await session.management.figures()
            _print(before, after, as_json=as_json)
            before = after
    else:
        await _live(session, before, every)


async def _live(session: GuestSession, before: Listing[Figures], every: float) -> None:
    from rich.live import Live

    from formicary.cli.top_view import view

    with Live(view(before, before), screen=True, auto_refresh=False) as live:
        while True:
            await asyncio.sleep(every)
            session.check()
            after = await session.management.figures()
            live.update(view(before, after), refresh=True)
            before = after


def _print(before: Listing[Figures], after: Listing[Figures], *, as_json: bool) -> None:
    from formicary.cli.output import show_json
    from formicary.cli.top_view import lines, records

    if as_json:
        show_json({"containers": records(before, after), "missing": after.missing})
    else:
        for line in lines(before, after):
            say(line)
    sys.stdout.flush()
