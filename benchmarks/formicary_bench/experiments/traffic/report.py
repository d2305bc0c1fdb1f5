"""What traffic shows besides what is usual: patterns of receivers, and what containers and cores bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.traffic import Reception
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import Chart, against, intervals, values
from formicary_bench.reports.charts.series import label, subject
from formicary_bench.reports.document.citing import anchors, cite, told
from formicary_bench.reports.document.factors import all_of
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by
from formicary_bench.reports.document.tables import Column, Extra, factor_columns, who_columns
from formicary_bench.results.summary.baselines import BASELINES, rivals_of
from formicary_bench.results.summary.typical import typical_of
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.vocabulary.metrics import MEAN, RATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary_bench.results.summary.row import Row

_POOL_SIZES = (
    "Pérez-Carro 2013 found 2, 4, 6 and 10 threads to be best for 2, 4, 8 and 16 cores (Section 4.4, Jason "
    "1.3.10, beside 5 threads of its environment). A container is a process with one thread for its agents."
)
_LAYOUT = {"containers", "cores"}


def traffic_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what most agents do in each pattern, in so many containers on so many cores."""
    return [
        told(
            f"{_place(row)}, {_pattern(row)}: ",
            cite(value_of(row, MEAN), row),
            " there and back (mean), ",
            cite(value_of(row, RATE), row),
            " round trips/s",
            after(all_of(row, rows, RATE)),
            ".",
        )
        for members in found_by(rows)
        for row in _largest(members)
    ]


def traffic_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show mean times: for each pattern against agents, and where receivers vary against these."""
    known = [row for row in rows if row.estimate(MEAN)]
    panels: dict[str, list[Row]] = {}
    for row in known:
        panels.setdefault(_panel(row), []).append(row)
    found = [_chart(f"Round-trip time, {name}", panel, "agents", "pairs") for name, panel in panels.items()]
    most = max((row.size("pairs") for row in known), default=0)
    varied = [row for row in known if row.size("echoes") and row.size("pairs") == most]
    if len({row.size("echoes") for row in varied}) > 2:  # noqa: PLR2004 -- more than one and all
        found.append(
            _chart(f"Round-trip time, {formatting.number(most)} senders", varied, "receivers", "echoes")
        )
    pools = {row.size("containers") for row in known if row.platform == "formicary"}
    if len(pools) > 2:  # noqa: PLR2004 -- more than one process, and two
        found.append(_chart("Round-trip time against containers", known, "containers", "containers"))
    return found


def traffic_extras(rows: Sequence[Row]) -> list[Extra]:
    """Hold many containers against one, several cores against one, and ours against other platforms."""
    own = [row for row in ordered(rows) if row.platform not in BASELINES and row.estimate(MEAN)]
    several = list(_pairs(own, _is_one_container))
    more = list(_pairs(own, _is_one_core))
    others = [(row, other) for row in own for other in rivals_of(row, rows)]
    sizes = _POOL_SIZES if rows[0].experiment == "traffic/pool-size" else ""
    speed_up = "By mean: the time on one core over that on several, as in the paper."
    tables = (
        _held("Several containers against one", several, sizes),
        _held("Several cores against one", more, speed_up),
        _held("Against other platforms", others, "In as many containers as each row says, on as many cores."),
    )
    return [table for table in tables if table is not None]


def _pairs(rows: Sequence[Row], is_base: Callable[[Row, Row], bool]) -> Iterator[tuple[Row, Row]]:
    for row in rows:
        for other in rows:
            is_alike = (row.platform, row.kind) == (other.platform, other.kind)
            if is_alike and _work(row) == _work(other) and is_base(row, other):
                yield row, other


def _work(row: Row) -> tuple[object, ...]:
    return tuple(one for one in row.sizes if one[0] not in _LAYOUT)


def _is_one_container(row: Row, other: Row) -> bool:
    is_more = row.size("containers") > other.size("containers") == 1
    return bool(is_more and row.size("cores") == other.size("cores"))


def _is_one_core(row: Row, other: Row) -> bool:
    """Whether the other one is on one core, in as many containers or, where these go by the cores, in one."""
    is_like = other.size("containers") in {row.size("containers"), 1}
    return bool(is_like and row.size("cores") > other.size("cores") == 1)


def _held(title: str, pairs: Sequence[tuple[Row, Row]], remark: str) -> Extra | None:
    if not pairs:
        return None
    columns = [
        *who_columns([row for row, _ in pairs], [anchors(*pair) for pair in pairs]),
        Column("held against", tuple(label(other) for _, other in pairs), names=True),
        *factor_columns("by rate", [factor(*pair, RATE) for pair in pairs]),
        *factor_columns("by mean", [factor(*pair, MEAN) for pair in pairs]),
    ]
    return Extra(title, columns, remark)


def _chart(title: str, rows: Sequence[Row], axis: str, field: str) -> Chart:
    def x(row: Row) -> int:
        return int(row.size(field))

    lines = against(rows, x, axis, str, y_title="mean round-trip time")
    return Chart(titled(title, rows), intervals(rows), lines, values(rows, axis, lambda row: str(x(row))))


def _largest(rows: Sequence[Row]) -> list[Row]:
    """Return of each pattern the row with most agents that gave a rate."""
    best: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row.exchange.pairs):
        if typical_of(row, RATE):
            best[_panel(row)] = row
    return list(best.values())


def _panel(row: Row) -> str:
    one = Reception.of(row)
    if not one.echoes:
        return "ring"
    if one.echoes == 1:
        return "one receiver"
    return "a receiver for each sender" if one.echoes == one.pairs else f"{one.echoes} receivers"


def _pattern(row: Row) -> str:
    one = Reception.of(row)
    if not one.echoes:
        return f"{one.pairs} agents that send to all others in turn"
    return f"{one.pairs} senders to {formatting.counted(one.echoes, 'receiver')}"


def _place(row: Row) -> str:
    one = Reception.of(row)
    cores = f"On {formatting.counted(one.cores, 'core')}" if one.cores else "On all cores"
    who = f"{subject(row)} in " if row.platform != "formicary" or row.kind != "behaviours" else ""
    return f"{cores}, {who}{formatting.counted(one.containers, 'container')}"


REPORT = Report(sentences=traffic_sentences, charts=traffic_charts, extras=traffic_extras, ratios=no_ratios)
