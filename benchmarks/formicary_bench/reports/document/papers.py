"""Which figure or table of a paper one of ours repeats, so that its title says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports.charts.series import SAME, TWO_HOSTS
from formicary_bench.vocabulary.names import ENCRYPTION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.summary.row import Row

ALBEROLA, BURBECK = "Alberola 2010", "Burbeck 2004"

_FEW = 10  # pairs, where Figure 3 of Burbeck 2004 ends and Figure 4 begins
_FIGURE, _TABLE = "Figure", "Table"
_ONE = {
    "messaging/size": (_FIGURE, 8, ALBEROLA),
    "messaging/many-to-one": (_FIGURE, 9, ALBEROLA),
    "messaging/location": (_FIGURE, 1, BURBECK),
    "messaging/single-pair-size": (_FIGURE, 2, BURBECK),
    "memory": (_TABLE, 8, ALBEROLA),
    "network": (_FIGURE, 17, ALBEROLA),
}
"""Experiments that are one figure or table."""

_BY_HOSTS = {
    "messaging/lower-bound": (_FIGURE, 10, 11),
    "directory/register": (_FIGURE, 12, 13),
    "directory/deregister": (_FIGURE, 12, 13),
}
"""Experiments of Alberola 2010 that have one for one host and another for two."""

CPU_TABLES = {"messaging/cpu": (2, 3), "directory/cpu-register": (4, 5), "directory/cpu-search": (6, 7)}
"""Those with the tables of CPU time: of one process, and of two, which had hosts of their own."""

_OWN_RULES: dict[str, tuple[str, Callable[[Row], int]]] = {
    **{name: (ALBEROLA, lambda row: cpu_table(row) or 0) for name in CPU_TABLES},
    "messaging/pairs": (ALBEROLA, lambda row: {SAME: 5, TWO_HOSTS: 7}.get(row.placement, 6)),
    "messaging/scale": (
        BURBECK,
        lambda row: (3 if row.pairs <= _FEW else 4) if row.placement == TWO_HOSTS else 5,
    ),
    "directory/search": (
        ALBEROLA,
        lambda row: 14 if row.placement != TWO_HOSTS else 16 if row.spread == "split" else 15,
    ),
    ENCRYPTION: (BURBECK, lambda row: 6 if row.pairs == 1 else 7),
}


def titled(title: str, rows: Sequence[Row]) -> str:
    """Put in front of a title what it repeats, where it repeats anything: `Figure 9 of Alberola 2010: ...`.

    Args:
        title: The title of a chart.
        rows: What it shows, of one experiment.
    """
    found = repeated(rows)
    return f"{found}: {title}" if found else title


def repeated(rows: Sequence[Row]) -> str:
    """Say which figures or tables of a paper rows of one experiment repeat; empty where they repeat none."""
    if not rows:
        return ""
    experiment = rows[0].experiment
    if experiment in _ONE:
        kind, number, paper = _ONE[experiment]
        return f"{kind} {number} of {paper}"
    if experiment in _BY_HOSTS:
        kind, one_host, two_hosts = _BY_HOSTS[experiment]
        return _named(kind, {two_hosts if row.placement == TWO_HOSTS else one_host for row in rows}, ALBEROLA)
    if experiment in _OWN_RULES:
        paper, number_of = _OWN_RULES[experiment]
        kind = _TABLE if experiment in CPU_TABLES else _FIGURE
        return _named(kind, _shown(experiment, {number_of(row) for row in rows}), paper)
    return ""


def cpu_table(row: Row) -> int | None:
    """Give the number of the table of CPU time that a row repeats; None where it repeats none."""
    tables = CPU_TABLES.get(row.experiment)
    return tables and tables[row.placement != SAME]


def _shown(experiment: str, numbers: set[int]) -> set[int]:
    """Give the numbers of a chart: that of one pair is in a chart by pairs only where these begin."""
    return {7} if experiment == ENCRYPTION and 7 in numbers else numbers  # noqa: PLR2004 - the paper's


def _named(kind: str, numbers: set[int], paper: str) -> str:
    *first, last = map(str, sorted(numbers))
    if not first:
        return f"{kind} {last} of {paper}"
    return f"{kind}s {', '.join(first)} and {last} of {paper}"
