"""Where the CPU time goes, in words, tables and charts."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from formicary.profiling.groups import PAPERS, Group
from formicary.profiling.model import Method
from formicary_bench import published
from formicary_bench.reports import figures
from formicary_bench.reports.charts import Bar, Bars
from formicary_bench.reports.papers import titled
from formicary_bench.reports.plots import Figure
from formicary_bench.reports.series import PLACES, SAME, Series, label
from formicary_bench.reports.stability import stability_of_figures
from formicary_bench.reports.tables import Column, Extra
from formicary_bench.results.cpu import SERVER, name_of
from formicary_bench.results.model import DIRECTORY, is_cpu
from formicary_bench.statistics.tests import difference, welch_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.cpu import CpuFigure, CpuFigures
    from formicary_bench.results.row import Row

_PROCESSES = {"both": "the process", "ask": "asking", "echo": "echoing", SERVER: "the server"}
_HOSTS = {"both": "A", "echo": "A", "ask": "B"}  # the paper's host A has the platform's container
_TABLES = {
    ("messaging/cpu", True): 2,
    ("messaging/cpu", False): 3,
    ("directory/cpu-register", True): 4,
    ("directory/cpu-register", False): 5,
    ("directory/cpu-search", True): 6,
    ("directory/cpu-search", False): 7,
}
_COLOURS = {
    Group.RUNTIME: "t",
    Group.AGENTS: "a",
    Group.COMMUNICATION: "c",
    Group.DIRECTORY: "m",
    Group.PLATFORM: "b",
    Group.SERVER: "e",
}
_SIGNIFICANT = 0.05
_ALL = "all"
_A = {"agent": "an", "use": "a", "round trip": "a"}
MINUS = "\N{MINUS SIGN}"

ALLOWED = 0.03
"""What sampling may cost of the rate."""


def cpu_columns(rows: Sequence[Row]) -> list[Column]:
    """Give the table of profiled rows: a line for each process and group."""
    lines = [(row, one) for row in rows if row.cpu for one in shown(row.cpu)]
    each = f"CPU per {unit(rows[0])}" if rows else "CPU"
    return [
        Column("who", tuple(name(row) for row, _ in lines), names=True),
        Column("process", tuple(process_name(one.process) for _, one in lines)),
        Column("group", tuple(one.group for _, one in lines)),
        Column("in the papers", tuple(paper(one.group) for _, one in lines)),
        Column(each, tuple(figures.duration(one.us.mean) for _, one in lines)),
        Column("95%", tuple(figures.spread(one.us.mean, one.us.ci95) for _, one in lines)),
        Column("of the process", tuple(f"{one.share:.1%}" for _, one in lines)),
        *stability_of_figures([(row, name_of(one)) for row, one in lines]),
    ]


def cpu_sentences(rows: Sequence[Row]) -> list[str]:
    """Say which groups use most, and what the profiling costs."""
    return [_sentence(row, row.cpu) for row in rows if row.cpu]


def cpu_remarks(rows: Sequence[Row]) -> list[str]:
    """Say what a reader must know before believing the figures."""
    said = [f"{name(row)}: {warning}" for row in rows if row.cpu for warning in row.cpu.warnings]
    return list(dict.fromkeys(said))


def cpu_figures(rows: Sequence[Row]) -> list[Figure]:
    """Show the groups of each configuration as bars, each process by itself."""
    found = []
    for row in rows:
        if not row.cpu:
            continue
        groups: dict[str, list[Bar]] = {}
        for one in shown(row.cpu):
            colour = _COLOURS.get(Group(one.group), "f") if one.group in set(Group) else "f"
            series = Series(
                f"{one.group} ({paper(one.group)})" if paper(one.group) else one.group, colour, "circle", ""
            )
            text = f"{figures.duration(one.us.mean)}, {one.share:.0%}"
            where = process_name(one.process)
            bar = Bar(series, one.us.mean, text, one.us.ci95)
            groups.setdefault(where[0].upper() + where[1:], []).append(bar)
        caption = f"CPU time for each {unit(row)}, with its 95% interval; each process on a scale of its own."
        found.append(
            Figure(
                titled(f"CPU time by group: {name(row)}", [row]), caption, Bars(groups), cpu_columns([row])
            )
        )
    return found


def cpu_beside(rows: Sequence[Row]) -> list[Extra]:
    """Put the paper's tables beside ours, and test whether ours differ from each other."""
    known = [row for row in rows if row.cpu]
    beside = [_published(row) for row in known if is_cpu(row.experiment)]
    return [
        *(extra for extra in beside if extra),
        *_differences(known),
    ]


def name(row: Row) -> str:
    """Give the name of a profiled row: who, and where and how many if that is not said by it."""
    where = f" in {PLACES.get(row.placement, row.placement)}"
    if row.agents:
        return f"{label(row)}, {figures.number(row.agents)} agents"
    if row.family == DIRECTORY:
        return f"{label(row)}, {figures.number(row.services)} services"
    return f"{label(row)}{where}, {row.senders} at once, {figures.short(figures.size(row.payload_bytes))}"


def process_name(role: str) -> str:
    """Give a process's name, by its role, with its host if it is said behind it."""
    role, _, host = role.partition("@")
    name = _PROCESSES.get(role, role)
    return f"{name} on {host}" if host else name


def _role(process: str) -> str:
    return process.partition("@")[0]


def unit(row: Row) -> str:
    """Give what the CPU time is divided by."""
    return "agent" if row.agents else "use" if row.family == DIRECTORY else "round trip"


def shown(cpu: CpuFigures) -> list[CpuFigure]:
    """Give the groups that used any time."""
    return [one for one in cpu.groups if one.us.mean > 0]


def paper(group: str) -> str:
    """Give the papers' name of a group, if they have it."""
    return PAPERS.get(Group(group), "") if group in set(Group) else ""


def _sentence(row: Row, cpu: CpuFigures) -> str:
    whole: dict[str, float] = {}
    for one in cpu.groups:
        whole[one.process] = whole.get(one.process, 0.0) + one.us.mean
    total = sum(whole.values())
    by_group: dict[str, float] = {}
    for one in cpu.groups:
        by_group[one.group] = by_group.get(one.group, 0.0) + one.us.mean
    most = sorted(by_group.items(), key=lambda item: -item[1])[:3]
    said = ", ".join(f"{group} {us / total:.0%}" for group, us in most if us)
    return (
        f"{name(row)}: {_A[unit(row)]} {unit(row)} takes {figures.duration(total)} of CPU: {said}. "
        f"The windows were {cpu.window_s:.1f} s in all; {_cost(cpu)}."
    )


def _cost(cpu: CpuFigures) -> str:
    if cpu.cost is None:
        return "what profiling costs is not known, as nothing was measured without it"
    what = "accounting" if cpu.method == Method.ACCOUNTED else "sampling"
    mean, ci95 = cpu.cost.mean, cpu.cost.ci95
    if ci95 is None:
        return f"{what} cost {_percent(mean)} of the rate, in one repetition with it and one without"
    said = f"{what} cost {_percent(mean)} ± {(ci95[1] - ci95[0]) / 2:.1%} of the rate"
    if what != "sampling":
        return said
    too_much = ", and this is more" if ci95[0] > ALLOWED else ""
    return f"{said}; {ALLOWED:.0%} are allowed{too_much}"


def _percent(part: float) -> str:
    return f"{MINUS if part < 0 else ''}{abs(part):.1%}"


def _published(row: Row) -> Extra | None:
    """Put one of Tables 2 to 7 beside a row: milliseconds for a thousand round trips of each pair."""
    assert row.cpu is not None
    table = _TABLES.get((row.experiment, row.placement == SAME))
    if table is None:
        return None
    theirs = published.cpu_times(table)
    platforms = list(dict.fromkeys(one.platform for one in theirs))
    hosts = sorted({one.host for one in theirs})
    lines = [(host, group) for host in hosts for group in _groups(row.cpu, theirs, host)]
    lines += [("", one.process) for one in row.cpu.groups if _role(one.process) == SERVER]
    columns = [
        Column("host", tuple(host for host, _ in lines), names=True),
        Column("group", tuple(f"{group} ({paper(group)})" if paper(group) else group for _, group in lines)),
        Column("ours, ms", tuple(_ours(row, row.cpu, host, group)[0] for host, group in lines)),
        Column("%", tuple(_ours(row, row.cpu, host, group)[1] for host, group in lines)),
    ]
    for platform in platforms:
        cells = [_theirs(theirs, platform, host, group) for host, group in lines]
        columns += [
            Column(f"{platform}, ms", tuple(ms for ms, _ in cells), minor=True),
            Column(f"{platform}, %", tuple(percent for _, percent in cells)),
        ]
    what = "uses of the directory" if row.family == DIRECTORY else "round trips of each pair"
    remark = (
        f"Ours is the time of 1000 {what}. The paper's machines had Pentium IV of 1.5 GHz, and its text does "
        "not say how many messages or uses its times are of: compare the shares."
    )
    return Extra(f"{name(row)}, beside Table {table} of {published.SOURCE}", columns, remark)


def _groups(cpu: CpuFigures, theirs: Sequence[published.CpuTime], host: str) -> list[str]:
    """Give the groups of a host, in our order, that either has."""
    ours = {one.group for one in shown(cpu) if _HOSTS.get(_role(one.process)) == host}
    of_theirs = {one.group for one in theirs if one.host == host}
    known = [str(group) for group in Group if group in ours or PAPERS.get(group) in of_theirs]
    return [*known, *sorted(ours - set(known))]


def _ours(row: Row, cpu: CpuFigures, host: str, group: str) -> tuple[str, str]:
    found = [
        one
        for one in cpu.groups
        if (one.group == group and _HOSTS.get(_role(one.process)) == host) or one.process == group
    ]
    if not found:
        return "", ""
    pairs = max(row.senders, 1)
    ms = found[0].us.mean * pairs  # a thousand of each pair, in microseconds, over a thousand
    margin = (found[0].us.ci95[1] - found[0].us.ci95[0]) / 2 * pairs if found[0].us.ci95 else 0.0
    said = f"{ms:.1f} ± {margin:.1f}" if margin else f"{ms:.1f}"
    return said, f"{found[0].share:.1%}"


def _theirs(lines: Sequence[published.CpuTime], platform: str, host: str, group: str) -> tuple[str, str]:
    for one in lines:
        if (one.platform, one.host, one.group) == (platform, host, paper(group)):
            return f"{one.ms:.1f} ± {one.ci95_ms:.1f}", f"{one.percent:.1f}%"
    return "", ""


def _differences(rows: Sequence[Row]) -> list[Extra]:
    """Test the CPU time of each group, in all processes together, between configurations of one size."""
    found = []
    for one, other in combinations(rows, 2):
        if (one.senders, one.payload_bytes, one.services) != (
            other.senders,
            other.payload_bytes,
            other.services,
        ):
            continue
        ours, theirs = _values(one), _values(other)
        for group in [*(group for group in ours if group in theirs and group != _ALL), _ALL]:
            p = welch_p(ours[group], theirs[group])
            if p is None:
                continue
            apart = difference(ours[group], theirs[group])
            verdict = "" if p < _SIGNIFICANT else "not significant"
            found.append((f"{name(one)} against {name(other)}", group, apart, p, verdict))
    if not found:
        return []
    columns = [
        Column("who", tuple(line[0] for line in found), names=True),
        Column("group", tuple(line[1] for line in found)),
        Column(
            "difference", tuple(f"{_signed(line[2].mean)} ± {line[2].half_width:.2f} µs" for line in found)
        ),
        Column("p", tuple(f"{line[3]:.3f}" if line[3] >= 0.001 else "<0.001" for line in found)),  # noqa: PLR2004
        Column("remark", tuple(line[4] for line in found), names=True),
    ]
    remark = "Welch's t-test over the repetitions, two-sided, at 5%, for each line by itself."
    return [Extra("Whether the CPU times differ", columns, remark)]


def _values(row: Row) -> dict[str, list[float]]:
    """Give the repetitions' microseconds by group, of all processes together, and of all groups."""
    assert row.cpu is not None
    sums: dict[str, list[float]] = {}
    for one in row.cpu.groups:
        for key in (one.group, _ALL):
            before = sums.get(key, [0.0] * len(one.values))
            sums[key] = [a + b for a, b in zip(before, one.values, strict=True)]
    return sums


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else chr(0x2212) if value < 0 else ''}{abs(value):.2f}"
