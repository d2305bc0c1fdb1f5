"""The terminal view's tables: rows of plain text, in which nothing is markup."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from rich.text import Text

from formicary.core.names import natural
from formicary.core.quoting import printable
from formicary.live.view import lets_through

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.live.view import View
    from formicary.observe.events import AgentFigures, Filters, MessageSeen

COLUMNS: Final = {
    "messages": ("TIME", "FROM", "TO", "ACT", "CONVERSATION", "WAITED", "BODY"),
    "agents": ("AGENT", "STATE", "CLASS", "WAITING", "MESSAGES/S", "CPU %", "BEHAVIOURS"),
    "dead": ("TIME", "FROM", "TO", "ACT", "REASON"),
    "links": ("LINK", "WAY", "OUT/S", "IN/S", "UNACKNOWLEDGED", "FAILED", "RTT"),
    "directory": ("AGENT", "TYPE", "NAME", "PROPERTIES"),
    "containers": (
        "CONTAINER",
        "HOST",
        "CPU %",
        "MEMORY",
        "AGENTS",
        "WAITING",
        "MESSAGES/S",
        "BLOCKS THE LOOP",
    ),
}
"""The headings of each table."""

_LONGEST: Final = 60  # characters of a cell
_ROWS: Final = 1000  # of a table
_LATEST: Final = 200  # messages shown while following

Row = tuple[str, tuple[Text, ...]]
"""A row's key in its table, and its cells."""


def rows(table: str, view: View, filters: Filters, *, all_messages: bool) -> list[Row]:
    """Return the rows of a table."""
    if table == "messages":
        return list(_messages(view, filters, _ROWS if all_messages else _LATEST))
    return list(islice(_ROWS_OF[table](view), _ROWS))


def cell(text: object, longest: int = _LONGEST) -> Text:
    """Return a text for a cell: one line, truncated, without markup or control characters."""
    line = printable(str(text))
    return Text(line if len(line) <= longest else f"{line[: longest - 1]}…", no_wrap=True)


def short(name: str) -> str:
    """Return `ann@c1` for `ann@c1.lab.localhost`."""
    local, at, domain = name.partition("@")
    return f"{local}{at}{domain.partition('.')[0]}"


def time_of(at: float) -> str:
    """Return the time of day in UTC, to a millisecond."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S.%f")[:-3]


def number(value: float | None) -> str:
    """Return a number as text; `-` if it is unknown."""
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"  # noqa: PLR2004 -- three digits


def _messages(view: View, filters: Filters, most: int) -> Iterator[Row]:
    shown = (each for each in reversed(view.messages.items()) if lets_through(filters, each[1]))
    for (container, count), message in reversed(list(islice(shown, most))):
        yield f"{container}/{count}", (*_said(message), cell(waited(message)), cell(message.body))


def _said(message: MessageSeen) -> tuple[Text, ...]:
    act = message.performative or "-"
    return (
        cell(time_of(message.at)),
        cell(short(message.sender), 30),
        cell(short(message.receiver), 30),
        Text(printable(act)[:20], style="red" if message.outcome == "dead" else ""),
        cell(message.conversation or "-", 20),
    )


def waited(message: MessageSeen) -> str:
    """Return how long a message waited, as text."""
    if message.outcome == "dead":
        return "dead"
    return "..." if message.waited is None else f"{message.waited * 1000:.0f} ms" if message.waited else "0"


def _agents(view: View) -> Iterator[Row]:
    for agent in sorted(
        islice(view.agents.values(), 10 * _ROWS),
        key=lambda each: (natural(each.container), natural(each.name)),
    ):
        yield (
            agent.name,
            (
                cell(short(agent.name)),
                Text(agent.state, style="" if agent.state == "active" else "yellow"),
                cell(agent.kind, 24),
                cell(agent.waiting),
                cell(number(agent.messages)),
                cell(number(None if agent.cpu is None else agent.cpu * 100)),
                cell(behaviours(agent)),
            ),
        )


def behaviours(agent: AgentFigures) -> str:
    """Return an agent's behaviours with the states of state machines, in one line."""
    return ", ".join(f"{each.name} [{each.state}]" if each.state else each.name for each in agent.behaviours)


def _dead(view: View) -> Iterator[Row]:
    for letter in view.dead:
        yield (
            f"{letter.container}/{letter.number}",
            (
                cell(time_of(letter.at)),
                cell(short(letter.sender), 30),
                cell(short(letter.receiver), 30),
                cell(letter.performative or "-", 20),
                cell(letter.reason, 120),
            ),
        )


def _links(view: View) -> Iterator[Row]:
    for link in sorted(view.links.values(), key=lambda each: (natural(each.container), natural(each.peer))):
        yield (
            f"{link.container}/{link.peer}",
            (
                cell(f"{link.container} - {link.peer}"),
                cell(link.way if link.is_up else "down"),
                cell(number(link.sent)),
                cell(number(link.received)),
                cell(link.unacknowledged),
                cell(link.failed),
                cell("-" if link.rtt is None else f"{link.rtt * 1000:.2f} ms"),
            ),
        )


def _directory(view: View) -> Iterator[Row]:
    for count, entry in enumerate(view.directory):
        properties = ", ".join(f"{name}={value}" for name, value in entry.properties.items())
        cells = short(entry.agent), entry.type, entry.name, properties
        yield f"entry {count}", tuple(map(cell, cells))
    for count, role in enumerate(view.groups):
        place = f"{role.community}/{role.group}"
        yield f"role {count}", (cell(short(role.agent)), cell("role"), cell(role.role), cell(place))


def _containers(view: View) -> Iterator[Row]:
    for each in sorted(view.containers.values(), key=lambda each: natural(each.name)):
        blockers = ", ".join(f"{blocker.name} ({blocker.longest_s:.1f} s)" for blocker in each.blockers)
        yield (
            each.name,
            (
                cell(each.name),
                cell(each.host),
                cell(number(None if each.cpu is None else each.cpu * 100)),
                cell(f"{each.memory / 1e6:.0f} MB"),
                cell(each.agents),
                cell(each.waiting),
                cell(number(each.messages)),
                cell(blockers),
            ),
        )
    for name, reason in view.missing.items():
        yield name, (cell(name), cell(reason, 120))


_ROWS_OF: Final = {
    "agents": _agents,
    "dead": _dead,
    "links": _links,
    "directory": _directory,
    "containers": _containers,
}
