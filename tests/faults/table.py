"""Causes all faults and writes docs/faults.md, the table of their effects: `python -m tests.faults.table`."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console
from tests.faults.run import CASES, Case, run
from tests.faults.scene import ROUTES, Figures
from tests.faults.side import ROOT

import formicary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.faults.fault import Fault
    from tests.faults.scene import Route

PAGE = ROOT / "docs" / "faults.md"
_HEAD = """\
# Faults

What happens to messages when something breaks. Each fault was caused for real while two containers, each a
process of its own, wrote to each other all the time.

A message is received once, and after those that its sender sent before it to the same receiver; or its
sender is told, by an exception of `send()` or a `failure` from the management agent. Only if a container is
killed, or cut off until it is given up, may the last messages have been received or not: the failure says
so, and *both* counts those that were. *Sent* is *received* and *failed*, less *both*. The tests in
`tests/faults` check that, and the order.

Routes are through Prosody (*server*), through one on each host (*two servers*), or *direct*: alone, or with
Prosody (*or server*) or a third container (*or relay*) as the indirect path.

## Where no message failed

Figures are messages sent and received; *again* counts frames repeated after a connection broke or a frame was
missed (the receiving end drops those that it already has).

"""
_FAILED = """

## Where messages failed

*told within*: how long after the fault the last sender knew. An empty cell is 0.

"""
_COLUMNS = ("fault", "route", "sent", "received", "failed", "both", "again", "told within; remarks")


def page(figures: Mapping[Case, Figures]) -> str:
    """Return the page about the faults' effects."""
    faults: dict[Fault, dict[Route, Figures]] = {}
    for case in CASES:
        if case in figures:
            faults.setdefault(case.fault, {})[case.route] = figures[case]
    received: list[list[str]] = []
    failed: list[list[str]] = []
    for fault, by_route in faults.items():
        if any(each.account.failed for each in by_route.values()):
            for index, (route, each) in enumerate(by_route.items()):
                failed.append(_row("" if index else fault.title, route, each))
        else:
            cells = [_cell(by_route[route]) if route in by_route else "" for route in ROUTES]
            received.append([fault.title, *cells])
    tables = (
        _table(("fault", *ROUTES.values()), "-" * 6, received),
        _table(_COLUMNS, "--:::::-", failed),
    )
    return _HEAD + _FAILED.join(tables) + _FOOT.format(**_here())


_FOOT = """

Made by `nox -s faults` on {date} with Formicary {version}, CPython {python} and Linux {linux} on {cores}
cores.

## While agents move or sleep

- The source, the destination, the agents' home, or the home and one of the others, is killed at each step of
  a move: each agent is in one place, or has ended with its container. If destination and home are lost
  together, agents stay in transit until both are back. If Prosody is killed, all move, and no message fails.
- The destination has no room for an agent's waiting messages: it moves, and senders wait. Its disk is full:
  agents move, but cannot sleep there, as an error says.
- The arrival of an agent is forged: it is refused.
- A container is killed while 3000 agents wake: each sleeps on, or has ended with the container; each message
  for them was received, or fails.

## While somebody watches

Faults of the [live view](live.md) do not affect messages:

- The viewer is killed or cut off: the page says so and reopens it after 0.5 to 4 s; the platform stops
  collecting after 5 s. It stands still: the page says so after 15 s.
- A file of the page does not come: it is loaded again up to five times, then the page says so.
- The platform is killed, or a recording's disk is full: page and command say so, and the command exits
  with 3.
- A token is forged, another viewer's, or sent from another page or machine name: it is refused.
"""


def _here() -> dict[str, object]:
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "version": formicary.__version__,
        "python": platform.python_version(),
        "linux": ".".join(platform.release().split(".")[:2]),
        "cores": len(os.sched_getaffinity(0)),
    }


def _row(title: str, route: Route, figures: Figures) -> list[str]:
    account = figures.account
    remarks = list(figures.notes)
    if figures.told_after is not None:
        remarks.insert(0, f"{figures.told_after:.1f} s")
    numbers = (account.sent, account.received, account.failed, account.both, figures.resent)
    return [title, ROUTES[route], *map(_number, numbers), "; ".join(remarks)]


def _cell(figures: Figures) -> str:
    """Return the cell of a fault after which no message failed."""
    again = f", {_number(figures.resent)} again" if figures.resent else ""
    return "; ".join([_number(figures.account.received) + again, *figures.notes])


def _number(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NO-BREAK SPACE}") if number else ""


def _table(columns: Iterable[str], alignments: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    marks = ("---:" if alignment == ":" else "---" for alignment in alignments)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (columns, marks, *rows))


def main() -> int:
    """Run all faults, write the page if none went wrong, and return the exit code."""
    console = Console(highlight=False)
    if not shutil.which("prosody"):
        console.print("Prosody, the XMPP server, is missing: type sudo apt-get install prosody")
        return 1
    figures: dict[Case, Figures] = {}

    def tell(case: Case, of_it: Figures) -> None:
        figures[case] = of_it
        console.print(f"{'WRONG' if of_it.problems else 'right'} {case} ({of_it.seconds:.0f} s)")
        for problem in of_it.problems:
            console.print(problem, markup=False)

    asyncio.run(run(CASES, tell))
    if any(of_it.problems for of_it in figures.values()):
        console.print(f"{PAGE} stays as it is, for something went wrong")
        return 1
    new = PAGE.with_suffix(".new")
    new.write_text(page(figures), encoding="utf-8")
    new.replace(PAGE)
    console.print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
