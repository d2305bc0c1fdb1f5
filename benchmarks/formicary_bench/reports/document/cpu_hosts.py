"""CPU time by group where a run was over hosts: each host its own column, as the papers have it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary.profiling.model.groups import Group
from formicary_bench.reports import formatting
from formicary_bench.reports.document.cpu import name, paper, shown, unit
from formicary_bench.reports.document.tables import Column, Extra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.cpu import CpuEstimate, CpuEstimates
    from formicary_bench.results.summary.row import Row


def cpu_by_host(rows: Sequence[Row]) -> list[Extra]:
    """Give a table for each profiled row that was measured over hosts."""
    return [extra for row in rows if row.cpu and (extra := _by_host(row, row.cpu))]


def _by_host(row: Row, cpu: CpuEstimates) -> Extra | None:
    """Give the groups of a row that was measured over hosts, each host a column, as the papers do."""
    found = shown(cpu)
    hosts = list(dict.fromkeys(one.process.partition("@")[2] for one in found))
    if not any(hosts):
        return None
    groups = [group for group in map(str, Group) if any(one.group == group for one in found)]
    groups += [one.group for one in found if one.group not in groups]
    groups = list(dict.fromkeys(groups))
    columns = [
        Column("group", tuple(groups), names=True),
        Column("in the papers", tuple(paper(group) for group in groups)),
    ]
    for host in hosts:
        there = [one for one in found if one.process.partition("@")[2] == host]
        whole = sum(one.us.mean for one in there)
        cells = [_summed([one for one in there if one.group == group], whole) for group in groups]
        columns += [
            Column(f"{host}, per {unit(row)}", tuple(us for us, _ in cells)),
            Column(f"{host}, %", tuple(share for _, share in cells)),
        ]
    remark = (
        "All of the run's processes on a host, the server's too; \N{PLUS-MINUS SIGN} is the 95% interval."
    )
    return Extra(f"{name(row)}: each host", columns, remark)


def _summed(parts: Sequence[CpuEstimate], whole: float) -> tuple[str, str]:
    """Give the CPU time of a group in all processes of a host, with its interval, and its share."""
    if not parts:
        return "", ""
    us = sum(one.us.mean for one in parts)
    margin = math.hypot(*((one.us.ci95[1] - one.us.ci95[0]) / 2 for one in parts if one.us.ci95))
    spread = f" \N{PLUS-MINUS SIGN} {formatting.duration(margin)}" if margin else ""
    return f"{formatting.duration(us)}{spread}", f"{us / whole:.1%}"
