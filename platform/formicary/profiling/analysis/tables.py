"""A profile as text: the papers' table, a bar of the groups, and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.quoting import printable
from formicary.profiling.analysis.attribution import View
from formicary.profiling.model.declarations import declared_rules
from formicary.profiling.model.groups import PAPERS, Group, colour
from formicary.profiling.model.profile import Method, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from formicary.profiling.analysis.attribution import CpuTime
    from formicary.profiling.model.groups import Rules
    from formicary.profiling.model.profile import Profile

_BAR = 60  # characters


def write(console: Console, profile: Profile, found: Sequence[CpuTime], view: View, top: int) -> None:
    """Print a profile."""
    cpu_s = sum(process.cpu_s for process in profile.processes)
    console.print(
        f"{cpu_s:.2f} s of CPU in {profile.window_s:.2f} s on {printable(profile.host)}, {_how(profile)}"
    )
    for process in profile.processes:
        what = "" if process.role is Role.CONTAINER else f" ({process.role})"
        console.print(f"  process {process.pid} {printable(process.name)}{what}: {process.cpu_s:.2f} s")
    shown = found if view is View.GROUP else found[:top]
    console.print(_table(shown, view))
    if len(found) > len(shown):
        console.print(f"and {len(found) - len(shown)} more; show them with --top")
    if view is View.GROUP and cpu_s:
        console.print(bar(found, is_coloured=console.color_system is not None))


def bar(found: Sequence[CpuTime], *, is_coloured: bool) -> Text:
    """Return a bar of the groups' shares, in letters without colours."""
    from rich.text import Text

    drawn, end, passed = Text(), 0, 0.0
    for used in found:
        passed += used.share
        width = round(passed * _BAR) - end
        end += width
        sign = "\N{FULL BLOCK}" if is_coloured else used.name.lstrip("(")[:1]
        drawn.append(sign * width, style=colour(used.name) if is_coloured else "")
    drawn.append("\n")
    for used in found:
        if used.share:
            mark = "\N{FULL BLOCK} " if is_coloured else f"{used.name.lstrip('(')[:1]} "
            drawn.append(mark, style=colour(used.name) if is_coloured else "")
            drawn.append(f"{used.name}  ")
    return drawn


def rules_table(rules: Rules) -> Table:
    """Return the rules as a table, in the order of precedence."""
    table = _empty("group", "papers", "what", "pattern", "why")
    for rule in (*rules.own, *declared_rules(), *rules.others):
        table.add_row(rule.group, PAPERS.get(rule.group, ""), rule.kind, rule.pattern, rule.why)
    table.add_row(Group.AGENTS, PAPERS[Group.AGENTS], "module", "(anything not installed)", "user-defined")
    table.add_row(Group.RUNTIME, PAPERS[Group.RUNTIME], "(the rest)", "", "the interpreter")
    return table


def _how(profile: Profile) -> str:
    if profile.method is Method.ACCOUNTED:
        if profile.cost is None:
            return "accounted for by the platform itself"
        took = f"which took {profile.cost:.1%} of the CPU time, already subtracted"
        return f"accounted for by the platform itself, {took}"
    count = sum(stack.count for process in profile.processes for stack in process.stacks)
    partial = " (partial)" if profile.is_partial else ""
    return f"{count} samples at {profile.rate_hz:g} Hz{partial}"


def _table(shown: Sequence[CpuTime], view: View) -> Table:
    headings = {View.GROUP: ("group", "papers"), View.FUNCTION: ("function", "group")}.get(view, (str(view),))
    table = _empty(*headings, "#CPU ms", "#± 95%", "#%")
    for used in shown:
        second = {View.GROUP: PAPERS.get(used.name, ""), View.FUNCTION: used.group}.get(view)
        cells = [printable(used.name), *([] if second is None else [second])]
        cells += [
            f"{used.cpu_s * 1e3:.1f}",
            f"{used.margin_s * 1e3:.1f}",
            f"{used.share:.1%}".rstrip("%"),
        ]
        table.add_row(*cells)
    return table


def _empty(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for column in columns:
        is_number = column.startswith("#")
        table.add_column(column.removeprefix("#"), justify="right" if is_number else "left", overflow="fold")
    return table
