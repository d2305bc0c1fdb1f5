"""Where the CPU time goes, beside what is published, and whether configurations differ in it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from formicary.profiling.model.groups import PAPERS, Group
from formicary.profiling.model.profile import Method
from formicary_bench import published
from formicary_bench.reports.charts.lines import Segment, Stack, Stacks
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.document.cpu import name, process_name, series_of, with_paper
from formicary_bench.reports.document.figures import anchors
from formicary_bench.reports.document.papers import cpu_table, titled
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.cpu import ALL, in_order, summed, whole
from formicary_bench.results.summary.declared import summary_of
from formicary_bench.statistics.tests import difference, welch_p
from formicary_bench.vocabulary.names import DIRECTORY, is_cpu
from formicary_bench.vocabulary.places import ASK, BOTH, ECHO, MEMBER, N_HOSTS, SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
    from formicary_bench.results.summary.row import Row

_HOSTS = {BOTH: "A", ECHO: "A", ASK: "B"}
"""The hosts of the paper: A has the platform's container."""
_SIGNIFICANT = 0.05
_READING = (
    "What agents call counts as theirs here, as an agent's thread in the paper; elsewhere, time is by code."
)


def cpu_references(rows: Sequence[Row]) -> list[Extra]:
    """Put the paper's tables beside ours, and test whether ours differ from each other."""
    known = [row for row in rows if row.cpu]
    beside = [_published(row) for row in known if is_cpu(row.experiment)]
    return [*filter(None, beside), *_differences(known)]


def share_charts(rows: Sequence[Row]) -> list[Chart]:
    """Draw the shares of the groups beside those of the paper's tables: a chart for each table."""
    by_table: dict[int, list[Row]] = {}
    for row in rows:
        if row.cpu and (table := cpu_table(row)):
            by_table.setdefault(table, []).append(row)
    return [_shares(table, members) for table, members in by_table.items()]


def _shares(table: int, rows: Sequence[Row]) -> Chart:
    theirs = published.cpu_times(table)
    has_several = len({one.host for one in theirs}) > 1
    ours_by_stack: dict[tuple[str, str], dict[str, float]] = {}
    theirs_by_stack: dict[str, dict[str, float]] = {}
    for row in rows:
        for part in row.cpu.used_by_strands if row.cpu else ():
            if part.role != SERVER:
                of_it = ours_by_stack.setdefault(
                    (f"{name(row)}: {process_name(part.process)}", row.anchor), {}
                )
                of_it[part.group] = part.share
    for one in theirs:
        label = f"{one.platform}, host {one.host}" if has_several else one.platform
        theirs_by_stack.setdefault(label, {})[_group(one.group)] = one.percent / 100
    stacks = [_stack(*of_it, published=True) for of_it in theirs_by_stack.items()]
    where = f"Published, not measured here: {published.SOURCE}, Table {table}"
    ours = [_stack(label, shares, of=of) for (label, of), shares in ours_by_stack.items()]
    chart = Stacks({"Measured here": ours, where: [stack for stack in stacks if stack.parts]})
    hatched = f"Hatched: the paper's, on {published.MACHINE}."
    caption = f"Each process separately. {hatched} {_READING}{_included(theirs)}"
    return Chart(
        titled("Shares of the CPU time, beside the published ones", rows), caption, chart, _columns(chart)
    )


def _stack(label: str, shares: dict[str, float], *, published: bool = False, of: str = "") -> Stack:
    parts = ((series_of(group), shares[group]) for group in in_order(shares) if shares[group] > 0)
    return Stack(
        label,
        tuple(Segment(series, share, f"{series.label} {share:.1%}") for series, share in parts),
        published=published,
        of=of,
    )


def _group(of_paper: str) -> str:
    """Return our name of a group of the paper's."""
    return str(next(group for group, known in PAPERS.items() if known == of_paper))


def _columns(chart: Stacks) -> list[Column]:
    """Return a line for each bar, and a column for each group."""
    lines = [stack for stacks in chart.groups.values() for stack in stacks]
    shares = [{part.series: f"{part.share:.1%}" for part in stack.parts} for stack in lines]
    return [
        Column(
            "who",
            tuple(stack.label for stack in lines),
            names=True,
            of=tuple(stack.of for stack in lines),
        ),
        *(Column(one.label, tuple(known.get(one, "") for known in shares)) for one in chart.series),
        Column("measured", tuple(published.SOURCE if stack.published else "here" for stack in lines)),
    ]


def _published(row: Row) -> Extra | None:
    """Put one of Tables 2 to 7 beside a row: milliseconds for a thousand round trips of each pair."""
    assert row.cpu is not None
    table = cpu_table(row)
    if table is None:
        return None
    theirs = published.cpu_times(table)
    platforms = list(dict.fromkeys(one.platform for one in theirs))
    hosts = sorted({one.host for one in theirs})
    ours = _by_host(row.cpu)
    lines = [(host, group) for host in hosts for group in _groups(ours.get(host, {}), theirs, host)]
    servers = [one for one in row.cpu.used_by_strands if one.role == SERVER]
    cells = [_ours(row, ours.get(host, {}).get(group)) for host, group in lines]
    cells += [_ours(row, one) for one in servers]
    lines += [("", process_name(one.process)) for one in servers]
    columns = [
        Column("host", tuple(host for host, _ in lines), names=True),
        Column("group", tuple(with_paper(group) for _, group in lines), of=(row.anchor,) * len(lines)),
        Column("here, ms", tuple(ms for ms, _ in cells)),
        Column("%", tuple(share for _, share in cells)),
    ]
    columns += [
        Column(f"{platform}, %", tuple(_theirs(theirs, platform, host, group) for host, group in lines))
        for platform in platforms
    ]
    what = "uses of the directory" if row.family == DIRECTORY else "round trips of each pair"
    remark = (
        f"Times here are of 1000 {what}; the paper does not say how many its times are of, on Pentium IV "
        f"of 1.5 GHz: compare the shares. {_READING}{_included(theirs)}"
    )
    if _have_all_kinds(row) and row.hosts > 1:
        remark += " Each of our hosts both asks and answers here; of the paper's, one did each."
    return Extra(f"{name(row)}, beside Table {table} of {published.SOURCE}", columns, remark)


def _included(theirs: Sequence[published.CpuTime]) -> str:
    """Return that a group of the paper's includes another, so that its lines do not match ours."""
    if any(one.group == PAPERS[Group.COMMUNICATION] for one in theirs):
        return ""
    return (
        f" Its {PAPERS[Group.PLATFORM]} has communication in it here ({published.SOURCE}, Section 5.3.3): "
        "compare with the sum of both."
    )


def _have_all_kinds(row: Row) -> bool:
    """Return whether each host has agents that ask and agents that answer."""
    return row.placement == N_HOSTS and row.family != DIRECTORY


def _by_host(cpu: CpuEstimates) -> dict[str, dict[str, CpuEstimate]]:
    """Return the groups' times on each host, by the paper's name of it, without the server.

    Of two hosts that both have all kinds of agents, the first is A.
    """
    members = list(dict.fromkeys(one.process for one in cpu.used_by_strands if one.role == MEMBER))
    hosts = _HOSTS | dict(zip(members, "AB", strict=False))
    by_host: dict[str, list[CpuEstimate]] = {}
    for one in cpu.used_by_strands:
        if host := hosts.get(one.process) or hosts.get(one.role):
            by_host.setdefault(host, []).append(one)
    return {host: {one.group: one for one in summed(parts)} for host, parts in by_host.items()}


def _groups(ours: Iterable[str], theirs: Sequence[published.CpuTime], host: str) -> list[str]:
    """Return the groups that either side has of a host, in our order."""
    return in_order([*ours, *(_group(one.group) for one in theirs if one.host == host)])


def _ours(row: Row, one: CpuEstimate | None) -> tuple[str, str]:
    if one is None:
        return "", ""
    # A thousand of each pair, in microseconds, over a thousand.
    pairs = max(row.exchange.load, 1) * (row.hosts if _have_all_kinds(row) else 1)
    ms, margin = one.us.mean * pairs, one.margin_us * pairs
    return f"{ms:.1f} ± {margin:.1f}" if margin else f"{ms:.1f}", f"{one.share:.1%}"


def _theirs(lines: Sequence[published.CpuTime], platform: str, host: str, group: str) -> str:
    for one in lines:
        if (one.platform, one.host, one.group) == (platform, host, PAPERS.get(group, "")):
            return f"{one.percent:.1f}%"
    return ""


def _differences(rows: Sequence[Row]) -> list[Extra]:
    """Test the CPU time of each group, in all processes together, between configurations of one size."""
    found = []
    for one, other in combinations(rows, 2):
        if one.sizes != other.sizes:
            continue
        held = summary_of(one.experiment).is_held_against
        if held is not None and not held(one, other) and not held(other, one):
            continue
        by_thread = any(row.cpu and row.cpu.method == Method.THREADS for row in (one, other))
        ours, theirs = _values(one, by_thread=by_thread), _values(other, by_thread=by_thread)
        for group in [*(group for group in ours if group in theirs and group != ALL), ALL]:
            p = welch_p(ours[group], theirs[group])
            if p is None:
                continue
            apart = difference(ours[group], theirs[group])
            verdict = "" if p < _SIGNIFICANT else "not significant"
            found.append(
                (f"{name(one)} against {name(other)}", group, apart, p, verdict, anchors(one, other))
            )
    if not found:
        return []
    columns = [
        Column("who", tuple(line[0] for line in found), names=True, of=tuple(line[5] for line in found)),
        Column("group", tuple(line[1] for line in found)),
        Column(
            "difference", tuple(f"{_signed(line[2].mean)} ± {line[2].half_width:.2f} µs" for line in found)
        ),
        Column("p", tuple(f"{line[3]:.3f}" if line[3] >= 0.001 else "<0.001" for line in found)),  # noqa: PLR2004
        Column("remark", tuple(line[4] for line in found), names=True),
    ]
    remark = "Welch's t-test over the repetitions, two-sided, at 5%, for each line by itself."
    return [Extra("Whether the CPU times differ", columns, remark)]


def _values(row: Row, *, by_thread: bool) -> dict[str, tuple[float, ...]]:
    """Return the repetitions' microseconds by group, of all processes together, and of all groups."""
    assert row.cpu is not None
    groups = row.cpu.strands if by_thread else row.cpu.groups
    return {one.group: one.values for one in (*summed(groups), whole(groups))}


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else chr(0x2212) if value < 0 else ''}{abs(value):.2f}"
