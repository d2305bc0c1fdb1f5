"""The list of platforms as a table that fits on 80 columns, and one platform in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from formicary.core.quoting import printable
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.vocabulary.placements import APART, N_HOSTS, SAME, TWO_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from formicary_bench.cli.platform_list import Listed

_FEW = 1  # of a family, by name


def overview(rows: Sequence[Listed]) -> RenderableType:
    """Return a table with a line for each platform, and what is missing to run it."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Details, and how to install one: formicary bench platforms show NAME",
        caption_justify="left",
    )
    for title in ("platform", "experiments", "processes", "missing"):
        table.add_column(title, overflow="fold")
    for row in rows:
        where = ", ".join(dict.fromkeys(_SHORT[placement] for placement in row.placements))
        table.add_row(
            _lines([f"{row.name} {row.version}".strip()]),
            _lines(["; ".join(in_short(row.experiments))]),
            where,
            _lines(lacks(row) if row.is_installed else [*row.missing[:-1], "not installed"]),
        )
    return table


def details(row: Listed) -> RenderableType:
    """Return all about one platform."""
    table = Table.grid(padding=(0, 2))
    lines = {
        "platform": [f"{row.name} {row.version}".strip()],
        "runs on": [row.runtime] if row.runtime else [],
        "experiments": row.experiments,
        "placements": row.placements,
        "at most": [
            *([f"{row.most_pairs} pairs or senders"] if row.most_pairs else []),
            *([f"{row.most_bytes} bytes in a body"] if row.most_bytes else []),
        ],
        "is run": [row.run_as] if row.run_as else [],
        "is measured": [row.warm_up] if row.warm_up else [],
        "missing": lacks(row),
    }
    for title, values in lines.items():
        if values:
            table.add_row(Text(title, "bold"), _lines(values))
    return table


def _lines(texts: Sequence[str]) -> Text:
    """Return what a cell shows, whatever a driver says of itself."""
    return Text("\n".join(map(printable, texts)))


def in_short(names: Sequence[str]) -> Iterator[str]:
    """Say which experiments these are: all of a family, how many of it, or their names if they are few."""
    for family in dict.fromkeys(one.family for one in EXPERIMENTS.values()):
        every = [one.name for one in EXPERIMENTS.values() if one.family == family]
        can = [name for name in every if name in names]
        if len(can) == len(every) or (can and len(can) <= _FEW):
            yield family if can == every else ", ".join(can)
        elif can:
            yield f"{family}: {len(can)} of {len(every)}"
    known = set(EXPERIMENTS)
    yield from (name for name in names if name not in known)


def lacks(row: Listed) -> list[str]:
    """Return what is missing to run a platform, or a part of what it can do."""
    return [*row.missing, *(f"for some routes, {note}" for note in row.notes)]


_SHORT = {SAME: "1", APART: "2", TWO_HOSTS: "hosts", N_HOSTS: "hosts"}
