"""Traffic in the pipeline: its plan, its duration, and what its report has in addition."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.traffic import Reception, Traffic
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, against, intervals, lines_of, point_of, values
from formicary_bench.reports.charts.scales import from_zero, logarithmic_at
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.figures import anchors
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.tables import Column, Extra, who_columns
from formicary_bench.results.summary.baselines import BASELINES, values_of
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.runner.planning.drafts import values_of as sizes_of
from formicary_bench.runner.planning.hosts import cores_of, few_cores_of, is_short
from formicary_bench.statistics.intervals import Interval
from formicary_bench.statistics.ratios import ratio_of_values
from formicary_bench.vocabulary.metrics import MEAN, RATE
from formicary_bench.vocabulary.names import QUICK, TRAFFIC_POOL, TRAFFIC_RECEPTION, TRAFFIC_SPEED_UP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters.shared import Rounds


RING = 0
"""The number of receivers that stands for a ring."""

_TRIPS, _QUICK_TRIPS, _FEWEST = 60_000, 6_000, 40  # measured, by all agents together; by each
_MANY = 256  # senders where the paper varies receivers
_CONTAINER_S = 0.3  # each in its own process; all start half a second after the signal
_ROUND_TRIPS = {"tasks": 150_000}  # per second
_ROUND_TRIPS_OURS = 20_000  # of agents in one container or several


def patterns(draft: Draft) -> Iterator[Draft]:
    """Yield a draft for each pattern of receivers and number of cores.

    Raises:
        UsageError: there are fewer cores than asked for, or a ring of one agent, or fewer senders than
            receivers.
    """
    rounds = draft.asked_rounds or _rounds(draft)
    for cores, receivers in product(_cores(draft), _receivers(draft)):
        for containers in _containers(draft, cores):
            yield draft.sized(echoes=receivers, containers=containers, cores=cores, rounds=rounds)


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition."""
    sizes = Traffic.of(one)
    rate = _ROUND_TRIPS.get(one.platform, _ROUND_TRIPS_OURS)
    return DefaultDuration(begin + _CONTAINER_S * sizes.containers, sizes.trips * sizes.load / rate)


def _cores(draft: Draft) -> tuple[int, ...]:
    """Return the numbers of cores; a short run adds a single core only if the experiment is about cores."""
    if is_short(draft.part, draft.options):
        return few_cores_of(draft.options, with_one=_is_speed_up(draft))
    return cores_of(draft.options)


def _containers(draft: Draft, cores: int) -> tuple[int, ...]:
    """Return the number of containers: one for a platform without any; one for each core if cores vary.

    If containers vary, other platforms have a pool of as many threads. Each of the numbers that a draft
    allows is given to one draft.
    """
    if draft.subject.platform != "formicary" and draft.experiment.name != TRAFFIC_POOL:
        return (1,)
    if _is_speed_up(draft) and not draft.options.sizes.get("containers"):
        return (max(cores, 1),)
    return (draft.sizes["containers"],)


def _receivers(draft: Draft) -> list[int]:
    """Return the numbers of receivers for a number of agents or senders.

    Raises:
        UsageError: none of the requested numbers is possible.
    """
    name, agents, options = draft.experiment.name, draft.sizes["pairs"], draft.options
    if asked := options.sizes.get("echoes"):
        return _received(draft, asked)
    if name == TRAFFIC_RECEPTION:
        if options.preset == QUICK:
            return [1]
        some = [2**power for power in range(1, 9)] if agents == _MANY else []
        return list(dict.fromkeys([1, agents, *some]))
    if agents == 1:
        raise UsageError("a ring needs at least two agents: use --pairs 2 or more")
    return [RING, 1, agents] if _is_speed_up(draft) and options.preset != QUICK else [RING]


def _received(draft: Draft, asked: tuple[int, ...]) -> list[int]:
    """Return the requested number that this draft is for, if there are that many senders."""
    most = max(sizes_of("pairs", draft.part, draft.options))
    if min(asked) > most:
        raise UsageError(f"each receiver needs a sender: use --receivers {most} or less, or more --pairs")
    return [one for one in [draft.sizes["echoes"]] if one <= draft.sizes["pairs"]]


def _rounds(draft: Draft) -> Rounds:
    """Return round trips that last a while; the cool-down is long, as containers run unevenly."""
    trips = _QUICK_TRIPS if is_short(draft.part, draft.options) else _TRIPS
    measured = max(trips // draft.sizes["pairs"], _FEWEST)
    return measured // 2, measured, measured


def _is_speed_up(draft: Draft) -> bool:
    return draft.experiment.name == TRAFFIC_SPEED_UP


_POOL_SIZES = (
    "Pérez-Carro 2013 found 2, 4, 6 and 10 threads to be best for 2, 4, 8 and 16 cores (Section 4.4, Jason "
    "1.3.10, beside 5 threads of its environment). A container is a process with one thread for its agents; "
    "for other platforms it is a thread of their pool."
)
_SPEED_UP = (
    "The total time on one core divided by that on several (Section 4.5 of the paper). All make the same "
    "number of round trips, so it is the ratio of rates. A saturated single core makes it larger than the "
    "number of cores."
)
_LAYOUT = {"containers", "cores"}


def traffic_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show each pattern over agents: mean times, or speed-ups if the experiment is about these."""
    draw = _speed_ups if rows[0].experiment == TRAFFIC_SPEED_UP else _times
    panels: dict[str, list[Row]] = {}
    for row in rows:
        if row.estimate(MEAN):
            panels.setdefault(_panel(row), []).append(row)
    found = [draw(f", {name}", panel, "agents", "pairs") for name, panel in panels.items()]
    known = [row for panel in panels.values() for row in panel]
    most = max((row.size("pairs") for row in known), default=0)
    varied = [row for row in known if row.size("echoes") and row.size("pairs") == most]
    if len({row.size("echoes") for row in varied}) > 2:  # noqa: PLR2004 -- more than one and all
        found.append(draw(f", {formatting.number(most)} senders", varied, "receivers", "echoes"))
    pools = {row.size("containers") for row in known if row.platform == "formicary"}
    if len(pools) > 2:  # noqa: PLR2004 -- more than one process, and two
        found.append(_times(" against containers", known, "containers", "containers"))
    return [chart for chart in found if chart]


def _times(title: str, rows: Sequence[Row], axis: str, field: str) -> Chart:
    def x(row: Row) -> int:
        return int(row.size(field))

    lines = against(rows, x, axis, str, y_title="mean round-trip time")
    table = values(rows, axis, lambda row: str(x(row)))
    return Chart(titled(f"Round-trip time{title}", rows), intervals(rows), lines, table)


def _speed_ups(title: str, rows: Sequence[Row], axis: str, field: str) -> Chart | None:
    """Show the speed-up: the rate on several cores over that on one."""
    found = {row: ratio for row, base in _pairs(rows, _is_one_core) if (ratio := speed_up(row, base))}
    if not found:
        return None

    def points(row: Row) -> list[Point]:
        ratio, many = found[row], int(row.size(field))
        bounds = None if ratio.low == ratio.high else (ratio.low, ratio.high)
        return [point_of(row, many, ratio.mean, f"{many} {axis}: {_said(ratio)}", bounds)]

    across = Axis(axis, lambda value: str(int(value)), logarithmic_at)
    plot = lines_of(found, across, Axis("speed-up", formatting.times, from_zero), points)
    shown = ordered(list(found))
    columns = [
        Column("who", tuple(map(label, shown)), names=True, of=tuple(row.anchor for row in shown)),
        Column(axis, tuple(str(row.size(field)) for row in shown)),
        Column("speed-up", tuple(_said(found[row]) for row in shown)),
    ]
    return Chart(titled(f"Speed-up{title}", shown), _SPEED_UP, plot, columns)


def speed_up(row: Row, base: Row) -> Interval | None:
    """Return the ratio of two rows' rates, without an interval if either was measured only once."""
    ours, theirs = row.mean(RATE), base.mean(RATE)
    if not ours or not theirs:
        return None
    known = ratio_of_values(values_of(row, RATE), values_of(base, RATE))
    return known or Interval(ours / theirs, ours / theirs, ours / theirs)


def traffic_extras(rows: Sequence[Row]) -> list[Extra]:
    """Compare many containers with one, and several cores with one."""
    own = [row for row in ordered(rows) if row.platform not in BASELINES and row.estimate(MEAN)]
    sizes = _POOL_SIZES if rows[0].experiment == "traffic/pool-size" else ""
    tables = (
        _held("Several containers compared with one", list(_pairs(own, _is_one_container)), sizes),
        _held("Several cores compared with one", list(_pairs(own, _is_one_core)), _SPEED_UP),
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
    """Whether the other row is on one core, in as many containers or, if these follow the cores, in one."""
    is_like = other.size("containers") in {row.size("containers"), 1}
    return bool(is_like and row.size("cores") > other.size("cores") == 1)


def _held(title: str, pairs: Sequence[tuple[Row, Row]], remark: str) -> Extra | None:
    found = [(row, other, ratio) for row, other in pairs if (ratio := speed_up(row, other))]
    if not found:
        return None
    columns = [
        *who_columns([row for row, _, _ in found], [anchors(row, other) for row, other, _ in found]),
        Column("compared with", tuple(label(other) for _, other, _ in found), names=True),
        Column("speed-up", tuple(_said(ratio) for _, _, ratio in found)),
    ]
    return Extra(title, columns, remark)


def _said(ratio: Interval) -> str:
    if ratio.low == ratio.high:
        return formatting.times(ratio.mean)
    return f"{formatting.times(ratio.mean)} ({formatting.times(ratio.low)}–{formatting.times(ratio.high)})"


def _panel(row: Row) -> str:
    one = Reception.of(row)
    if not one.echoes:
        return "ring"
    if one.echoes == 1:
        return "one receiver"
    return "a receiver for each sender" if one.echoes == one.pairs else f"{one.echoes} receivers"


REPORT = Report(charts=traffic_charts, extras=traffic_extras)
