"""The help of a group of commands, looking like Typer's.

Typer's own first loads parsers of Markdown and tracebacks, which takes longer than everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer.core import TyperGroup

_BELOW = (0, 1, 1, 1)


def show(group: TyperGroup, context: Any) -> None:
    """Print how a group is used, its options and its commands."""
    console = Console(highlight=False)
    usage = group.get_usage(context).removeprefix("Usage: ")
    console.print(Padding(Text.assemble(("Usage: ", "yellow"), (usage, "bold")), 1))
    first, *others = (group.help or "").split("\n\n")
    texts = [Text.from_markup(" ".join(first.split()))]
    texts += [Text.from_markup(" ".join(each.split()), style="dim") for each in others]
    console.print(Padding(Text("\n\n").join(texts), _BELOW))
    records = (parameter.get_help_record(context) for parameter in group.get_params(context))
    console.print(_panel("Options", filter(None, records)))
    panels: dict[str, list[tuple[str, str]]] = {}
    for name in group.list_commands(context):
        if (command := group.get_command(context, name)) is not None:
            title = getattr(command, "rich_help_panel", None)
            panels.setdefault(title if isinstance(title, str) else "Commands", []).append(
                (name, _summary(command))
            )
    for title, rows in panels.items():
        console.print(_panel(title, rows))


def _summary(command: Any) -> str:
    """Return the first sentence of a command's help."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


def _panel(title: str, rows: Iterable[tuple[str, str]]) -> Panel:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(ratio=10)
    for name, text in rows:
        table.add_row(Text(name), Text.from_markup(text))
    return Panel(table, title=title, title_align="left", border_style="dim")
