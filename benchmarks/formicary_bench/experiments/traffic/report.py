"""What traffic found: round trips by agents, containers and cores, and what more of these are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import Chart, against, intervals, values
from formicary_bench.reports.charts.series import label, subject
from formicary_bench.reports.document.citing import anchors, cite, told
from formicary_bench.reports.document.factors import all_of, baseline_columns
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import UNEVEN, Column, Extra, factor_columns, or_invalid
from formicary_bench.results.summary.baselines import BASELINES, rivals_of
from formicary_bench.results.summary.each import MEAN, RATE
from formicary_bench.results.summary.typical import typical_of
from formicary_bench.results.verdicts.factors import factor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary_bench.results.summary.row import Row

_POOL_SIZES = (
    "Pérez-Carro 2013 found 2, 4, 6 and 10 threads to be best for 2, 4, 8 and 16 cores (Section 4.4, Jason "
    "1.3.10, beside 5 threads of its environment). A container is a process with one thread for its agents."
)


def traffic_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of rows of traffic."""
    known = ordered(rows)
    held = tuple(UNEVEN if row.full_load is False else "held" for row in known)
    return [
        *_who(known),
        Column("mean", tuple(or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in known)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in known)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in known)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in known)),
        Column("trips/s", tuple(formatting.count(row.round_trips_per_s) for row in known)),
        *baseline_columns(known, rows),
        Column("full load", held, minor=UNEVEN not in held),
        *stability_column(known),
    ]


def traffic_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what most agents do in each pattern, in so many containers on so many cores."""
    return [
        told(
            f"{_place(row)}, {_pattern(row)}: ",
            cite(formatting.duration(row.rtt_mean_us), row),
            " there and back (mean), ",
            cite(formatting.count(row.round_trips_per_s), row),
            " round trips/s",
            after(all_of(row, rows, RATE)),
            ".",
        )
        for members in found_by(rows)
        for row in _largest(members)
    ]


def traffic_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show mean times: for each pattern against agents, and where receivers vary against these."""
    known = [row for row in rows if row.rtt_mean_us is not None]
    panels: dict[str, list[Row]] = {}
    for row in known:
        panels.setdefault(_panel(row), []).append(row)
    found = [_chart(f"Round-trip time, {name}", panel, "agents", _agents) for name, panel in panels.items()]
    varied = [row for row in known if row.echoes and row.pairs == max(one.pairs for one in known)]
    if len({row.echoes for row in varied}) > 2:  # noqa: PLR2004 -- more than one and all
        many = formatting.number(varied[0].pairs)
        found.append(_chart(f"Round-trip time, {many} senders", varied, "receivers", _receivers))
    pools = {row.containers for row in known if row.platform == "formicary"}
    if len(pools) > 2:  # noqa: PLR2004 -- more than one process, and two
        found.append(_chart("Round-trip time against containers", known, "containers", _containers))
    return found


def traffic_extras(rows: Sequence[Row]) -> list[Extra]:
    """Hold many containers against one, several cores against one, and ours against other platforms."""
    own = [row for row in ordered(rows) if row.platform not in BASELINES and row.rtt_mean_us is not None]
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
            alike = all(
                getattr(row, name) == getattr(other, name)
                for name in ("platform", "kind", "pairs", "echoes", "payload_bytes")
            )
            if alike and is_base(row, other):
                yield row, other


def _is_one_container(row: Row, other: Row) -> bool:
    return row.containers > other.containers == 1 and row.cores == other.cores


def _is_one_core(row: Row, other: Row) -> bool:
    """Whether the other one is on one core, in as many containers or, where these go by the cores, in one."""
    return row.cores > other.cores == 1 and other.containers in {row.containers, 1}


def _held(title: str, pairs: Sequence[tuple[Row, Row]], remark: str) -> Extra | None:
    if not pairs:
        return None
    found = [row for row, _ in pairs]
    columns = [
        *_who(found, tuple(anchors(*pair) for pair in pairs)),
        Column("held against", tuple(label(other) for _, other in pairs), names=True),
        *factor_columns("by rate", [factor(*pair, RATE) for pair in pairs]),
        *factor_columns("by mean", [factor(*pair, MEAN) for pair in pairs]),
    ]
    return Extra(title, columns, remark)


def _chart(title: str, rows: Sequence[Row], axis: str, x: Callable[[Row], int]) -> Chart:
    lines = against(rows, x, axis, str, "mean round-trip time")
    return Chart(titled(title, rows), intervals(rows), lines, values(rows, axis, lambda row: str(x(row))))


def _who(rows: Sequence[Row], of: tuple[str, ...] = ()) -> list[Column]:
    return [
        Column("who", tuple(map(label, rows)), names=True, of=of or tuple(row.anchor for row in rows)),
        Column("agents", tuple(str(row.pairs) for row in rows)),
        Column("receivers", tuple(str(row.echoes) if row.echoes else "all" for row in rows)),
    ]


def _largest(rows: Sequence[Row]) -> list[Row]:
    """Return of each pattern the row with most agents that gave a rate."""
    best: dict[str, Row] = {}
    for row in sorted(rows, key=_agents):
        if typical_of(row, RATE):
            best[_panel(row)] = row
    return list(best.values())


def _panel(row: Row) -> str:
    if not row.echoes:
        return "ring"
    if row.echoes == 1:
        return "one receiver"
    return "a receiver for each sender" if row.echoes == row.pairs else f"{row.echoes} receivers"


def _pattern(row: Row) -> str:
    if not row.echoes:
        return f"{row.pairs} agents that send to all others in turn"
    return f"{row.pairs} senders to {formatting.counted(row.echoes, 'receiver')}"


def _place(row: Row) -> str:
    cores = f"On {formatting.counted(row.cores, 'core')}" if row.cores else "On all cores"
    who = f"{subject(row)} in " if row.platform != "formicary" or row.kind != "behaviours" else ""
    return f"{cores}, {who}{formatting.counted(row.containers, 'container')}"


def _agents(row: Row) -> int:
    return row.pairs


def _receivers(row: Row) -> int:
    return row.echoes


def _containers(row: Row) -> int:
    return row.containers


REPORT = Report(
    columns=traffic_columns,
    sentences=traffic_sentences,
    charts=traffic_charts,
    extras=traffic_extras,
    ratios=no_ratios,
)
