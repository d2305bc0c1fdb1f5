"""CPU time by group where a run was over hosts: each host its own column, as the papers have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.profiling.model.groups import PAPERS
from formicary_bench.reports import formatting
from formicary_bench.reports.document.cpu import name, unit
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.cpu import in_order, summed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
    from formicary_bench.results.summary.row import Row


def cpu_by_host(rows: Sequence[Row]) -> list[Extra]:
    """Give a table for each profiled row that was measured over hosts."""
    return [extra for row in rows if row.cpu and (extra := _by_host(row, row.cpu))]


def _by_host(row: Row, cpu: CpuEstimates) -> Extra | None:
    """Give the groups of a row that was measured over hosts, each host a column, as the papers do."""
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
    """Give the CPU time of a group on a host, with its interval, and its share."""
    if one is None:
        return "", ""
    spread = f" \N{PLUS-MINUS SIGN} {formatting.duration(one.margin_us)}" if one.margin_us else ""
    return f"{formatting.duration(one.us.mean)}{spread}", f"{one.share:.1%}"
