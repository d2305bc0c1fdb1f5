"""Where the CPU time goes, in words, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.profiling.model.groups import PAPERS, Group
from formicary.profiling.model.profile import Method
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Dot, Dots
from formicary_bench.reports.charts.plots import Chart, tick
from formicary_bench.reports.charts.series import PLACES, Series, label
from formicary_bench.reports.document.figures import cite, joined, said, told
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.stability import stability_of_samples
from formicary_bench.reports.document.tables import Column, Extra, who
from formicary_bench.results.summary.cpu import in_order, name_of, summed, whole
from formicary_bench.vocabulary.names import DIRECTORY
from formicary_bench.vocabulary.parameters.shared import ROUNDS
from formicary_bench.vocabulary.places import DOING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
    from formicary_bench.results.summary.row import Row


_COLOURS: dict[str, str] = {
    Group.RUNTIME: "t",
    Group.AGENTS: "a",
    Group.COMMUNICATION: "c",
    Group.DIRECTORY: "m",
    Group.PLATFORM: "b",
    Group.SERVER: "e",
}
_A = {"agent": "an", "use": "a", "round trip": "a"}
MINUS = "\N{MINUS SIGN}"

ALLOWED = 0.03
"""What sampling may cost of the rate."""


def cpu_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of profiled rows: a line for each process and group."""
    lines = [(row, one) for row in rows if row.cpu for one in row.cpu.used]
    each = f"CPU per {unit(rows[0])}" if rows else "CPU"
    return [
        who((row for row, _ in lines), _anchors(lines), name),
        Column("process", tuple(process_name(one.process) for _, one in lines)),
        Column("group", tuple(one.group for _, one in lines)),
        Column("in the papers", tuple(PAPERS.get(one.group, "") for _, one in lines)),
        Column(each, tuple(formatting.duration(one.us.mean) for _, one in lines)),
        Column("95%", tuple(formatting.spread(one.us.mean, one.us.ci95) for _, one in lines)),
        Column("of the process", tuple(f"{one.share:.1%}" for _, one in lines)),
        *stability_of_samples([(row, name_of(one)) for row, one in lines]),
    ]


def cpu_sentences(rows: Sequence[Row]) -> list[str]:
    """Return which groups use most, and what the profiling costs."""
    return [_sentence(row, row.cpu) for row in rows if row.cpu]


def cpu_remarks(rows: Sequence[Row]) -> list[str]:
    """Return what a reader must know before believing the figures."""
    said = [f"{name(row)}: {warning}" for row in rows if row.cpu for warning in row.cpu.warnings]
    return list(dict.fromkeys(said))


def cpu_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the groups of each configuration as bars, each process by itself."""
    found = []
    for row in rows:
        if not row.cpu:
            continue
        groups: dict[str, list[Dot]] = {}
        for one in row.cpu.used:
            series = series_of(one.group)
            text = f"{formatting.duration(one.us.mean)}, {one.share:.0%}"
            where = process_name(one.process)
            bar = Dot(series, one.us.mean, text, one.us.ci95, of=row.anchor)
            groups.setdefault(where[0].upper() + where[1:], []).append(bar)
        caption = f"Per {unit(row)}; 95% intervals."
        found.append(
            Chart(
                titled(f"CPU time by group: {name(row)}", [row]),
                caption,
                Dots(groups, "CPU time", tick),
                cpu_columns([row]),
            )
        )
    return found


def name(row: Row) -> str:
    """Return the name of a profiled row: its subject, and its place and load unless the name has them."""
    where = f" in {PLACES.get(row.placement, row.placement)}"
    known = EXPERIMENTS.get(row.experiment)
    own = (
        [one for one in known.own if not one.in_label and one.attribute != ROUNDS.attribute] if known else []
    )
    sizes = [said(one, row.size(one.attribute)) for one in own if row.size(one.attribute)]
    is_placed = not row.size("agents") and row.family != DIRECTORY
    return ", ".join([f"{label(row)}{where if is_placed else ''}", *sizes])


def process_name(role: str) -> str:
    """Return the name of a process by its role, which may end in `@` and a host."""
    role, _, host = role.partition("@")
    name = DOING.get(role, role)
    return f"{name} on {host}" if host else name


def series_of(group: str) -> Series:
    """Return a group's name, with that of the papers, and its colour."""
    return Series(with_paper(group), _COLOURS.get(group, "f"), "square", "")


def with_paper(group: str) -> str:
    """Return a group's name, with that of the papers if they have one."""
    return f"{group} ({PAPERS[group]})" if group in PAPERS else group


def unit(row: Row) -> str:
    """Return what the CPU time is divided by."""
    return "agent" if row.size("agents") else "use" if row.family == DIRECTORY else "round trip"


def _anchors(lines: Sequence[tuple[Row, CpuEstimate]]) -> tuple[str, ...]:
    known = {id(row): row.anchor for row, _ in lines}
    return tuple(known[id(row)] for row, _ in lines)


def _sentence(row: Row, cpu: CpuEstimates) -> str:
    most = sorted(summed(cpu.used), key=lambda one: -one.share)[:3]
    shares = joined(", ", (told(f"{one.group} ", cite(f"{one.share:.0%}", row)) for one in most))
    total = cite(formatting.duration(whole(cpu.groups).us.mean), row)
    return told(
        f"{name(row)}: {_A[unit(row)]} {unit(row)} takes ",
        total,
        " of CPU time: ",
        shares,
        f". It was profiled for {cpu.window_s:.1f} s; {_cost(cpu)}.",
    )


def _cost(cpu: CpuEstimates) -> str:
    if cpu.method == Method.THREADS:
        return "the clocks of threads were read before and after, which costs nothing between"
    if cpu.cost is None:
        return "the cost of profiling is unknown, as nothing was measured without it"
    what = "accounting" if cpu.method == Method.ACCOUNTED else "sampling"
    mean, ci95 = cpu.cost.mean, cpu.cost.ci95
    if ci95 is None:
        return f"{what} cost {_percent(mean)} of the rate, by one repetition with and one without it"
    said = f"{what} cost {_percent(mean)} ± {(ci95[1] - ci95[0]) / 2:.1%} of the rate"
    if what != "sampling":
        return said
    too_much = ", which it exceeds" if ci95[0] > ALLOWED else ""
    return f"{said}; up to {ALLOWED:.0%} is accepted{too_much}"


def _percent(part: float) -> str:
    return f"{MINUS if part < 0 else ''}{abs(part):.1%}"


def cpu_by_host(rows: Sequence[Row]) -> list[Extra]:
    """Return a table for each profiled row that was measured over hosts."""
    return [extra for row in rows if row.cpu and (extra := _by_host(row, row.cpu))]


def _by_host(row: Row, cpu: CpuEstimates) -> Extra | None:
    """Return the groups of a row that was measured over hosts, each host a column, as the papers do."""
    hosts = list(dict.fromkeys(one.host for one in cpu.used))
    if not any(hosts):
        return None
    groups = in_order(one.group for one in cpu.used)
    columns = [
        Column("group", tuple(groups), names=True, of=(row.anchor,) * len(groups)),
        Column("in the papers", tuple(PAPERS.get(group, "") for group in groups)),
    ]
    for host in hosts:
        of_host = {one.group: one for one in summed(one for one in cpu.used if one.host == host)}
        cells = [_cells(of_host.get(group)) for group in groups]
        columns += [
            Column(f"{host}, per {unit(row)}", tuple(us for us, _ in cells)),
            Column(f"{host}, %", tuple(share for _, share in cells)),
        ]
    remark = (
        "All of the run's processes on a host, the server's too; \N{PLUS-MINUS SIGN} is the 95% interval."
    )
    return Extra(f"{name(row)}: each host", columns, remark)


def _cells(one: CpuEstimate | None) -> tuple[str, str]:
    """Return the CPU time of a group on a host, with its interval, and its share."""
    if one is None:
        return "", ""
    spread = f" \N{PLUS-MINUS SIGN} {formatting.duration(one.margin_us)}" if one.margin_us else ""
    return f"{formatting.duration(one.us.mean)}{spread}", f"{one.share:.1%}"
