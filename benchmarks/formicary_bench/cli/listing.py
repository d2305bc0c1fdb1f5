"""`formicary bench list --where`: old runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.output import say
from formicary.core.quoting import printable

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.results.store.folder import RunFolder

JsonLines = Annotated[bool, typer.Option("--json", help="Print lines of JSON only.")]


def list_runs(where: str, folder: Path, *, as_json: bool) -> None:
    """Print the runs for which all conditions hold, the oldest first.

    Args:
        where: The conditions.
        folder: Where the runs are.
        as_json: Whether to print a line of JSON for each.

    Raises:
        UsageError: A condition is none, or there is no such folder.
    """
    from formicary_bench.results.store.finding import conditions, find

    runs, broken = find(folder, conditions(where))
    for sentence in broken:
        say(f"! {sentence}", err=True)
    lines = [_facts(run) for run in runs]
    if as_json:
        for line in lines:
            say(json.dumps(line))
    elif lines:
        _show(lines)
    else:
        say(f"formicary: no run in {folder} is such", err=True)


def _facts(run: RunFolder) -> dict[str, str | bool | list[str]]:
    from formicary_bench.results.store.finding import facts

    found = facts(run.manifest)
    return {
        "run": str(run.path),
        "started": run.manifest.started.isoformat(timespec="seconds"),
        "experiments": sorted(found["experiment"]),
        "hosts": sorted(found["host"] - {""}),
        "version": run.manifest.formicary,
        "complete": run.manifest.complete,
    }


def _show(lines: list[dict[str, str | bool | list[str]]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from formicary_bench.reports.formats.terminal import console_for_reports

    table = Table(*lines[0], box=box.SIMPLE_HEAD, pad_edge=False)
    for line in lines:
        table.add_row(*(Text(printable(_words(value))) for value in line.values()))
    console_for_reports().print(table)


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)
