"""Baselines: rows of the same run that do the same work without agents."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import declared
from formicary_bench.results.summary.each import counting, samples_of
from formicary_bench.statistics.estimates import Typical, typical
from formicary_bench.subjects.registry import SUBJECTS
from formicary_bench.vocabulary import values
from formicary_bench.vocabulary.metrics import RATE
from formicary_bench.vocabulary.names import BARE_MESSAGES, COMPUTE, DIRECTORY, LOWER_BOUND, PAIRS, PROTOCOLS
from formicary_bench.vocabulary.parameters.shared import paced_rate
from formicary_bench.vocabulary.places import TWO_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric
    from formicary_bench.vocabulary.parameters import Parameter


BASELINES = {subject.platform: subject.baseline for subject in SUBJECTS if subject.baseline}
"""The subjects that are baselines, by platform, and what a sentence calls them."""

_SAME = "same-container"


def baseline_of(row: Row, rows: Iterable[Row]) -> Row | None:
    """Find the baseline of a row: the same work, the same size, no agents.

    Behaviours are compared with tasks; micro-agents with callbacks, or else tasks; direct links with TCP
    sockets, with TLS if they have it; links through the server with bare components there; a use of the
    directory with a message and its answer on the same route; a conversation with its messages alone; a
    value of a parameter with its base.
    """
    if compared := based(row):
        at = row.parameters | {compared.attribute: compared.base}
        anchor = msgspec.structs.replace(row, parameters=at).anchor
        return next((other for other in rows if other.anchor == anchor and _measured(other)), None)
    if row.family == DIRECTORY:
        return _message(row, rows)
    if row.platform in BASELINES:
        return None
    apart = row.placement == TWO_HOSTS
    there = [other for other in rows if (other.placement == TWO_HOSTS) == apart]
    fitting = [other for other in there if _size(other) == _size(row) and _measured(other)]
    if row.family == PROTOCOLS:
        bare = (one for one in fitting if one.platform == BARE_MESSAGES and _way(one) == _way(row))
        return next(bare, None)
    for platform, tls in _wanted(row):
        for other in fitting:
            if (other.platform, other.tls) == (platform, tls):
                return other
    return None


def based(row: Row) -> Parameter | None:
    """Return the parameter whose base a row is compared with, if any."""
    known = declared(row.experiment)
    own = [one for one in known.own if one.base is not None] if known else ()
    return next((one for one in own if row.size(one.attribute) not in {0, "", one.base}), None)


def _message(row: Row, rows: Iterable[Row]) -> Row | None:
    """Find the round trip of one pair of agents at the placement and route of a use of the directory."""
    if row.size("agents") or row.exchange.load > 1:
        return None
    for other in rows:
        is_message = other.experiment == PAIRS and other.kind == "behaviours" and _measured(other)
        if is_message and other.exchange.load == 1 and _way(other) == _way(row):
            return other
    return None


def with_less(row: Row, rows: Iterable[Row]) -> list[Row]:
    """Find the row of the same between containers without one feature: TLS, or numbered frames."""
    is_link = row.platform == "formicary" and row.placement != _SAME and not paced_rate(row)
    if row.profiled or not is_link or not _measured(row):
        return []
    return [other for other in rows if _measured(other) and _is_less(other, row)]


def rivals_of(row: Row, rows: Iterable[Row]) -> list[Row]:
    """Find rows of other platforms with the same work, size and placement.

    Only ours have rivals: a run is not about the ratio of two other platforms.
    """
    if row.platform != "formicary":
        return []
    return [
        other
        for other in rows
        if other.platform not in BASELINES
        and other.platform != row.platform
        and other.placement == row.placement
        and _size(other) == _size(row)
        and _measured(other)
    ]


def _wanted(row: Row) -> tuple[tuple[str, bool], ...]:
    """Return the platforms of a row's baseline, and whether with TLS, the best one first."""
    if row.family == COMPUTE:
        return (("processes", False), ("tasks", False))
    if row.experiment == LOWER_BOUND:  # also of agents in one process, as in the paper
        return (("tcp", row.tls),)
    if row.placement == _SAME:
        tasks = ("tasks", False)
        return (("callbacks", False), tasks) if row.kind.startswith("micro") else (tasks,)
    if row.route == "xmpp":
        return (("components", row.tls),)
    return (("tcp", row.tls),)


def _is_less(other: Row, row: Row) -> bool:
    """Return whether a row is the same without one feature: TLS, or the numbering of frames."""
    if _size(other) != _size(row) or (other.placement, other.route) != (row.placement, row.route):
        return False
    if (other.platform, other.kind) == (row.platform, row.kind):
        return row.tls and not other.tls
    return other.platform == "formicary-unnumbered" and row.kind == "behaviours" and other.tls == row.tls


def _size(row: Row) -> tuple[Any, ...]:
    """Return the work of a row, whatever its platform and layout of agents."""
    known = declared(row.experiment)
    layout = {one.attribute for one in known.own if one.is_layout} if known else set()
    return row.experiment, row.hosts, row.traffic, *(one for one in row.sizes if one[0] not in layout)


def _way(row: Row) -> tuple[str, str, bool]:
    return row.placement, row.route, row.tls


def _measured(row: Row) -> bool:
    known = declared(row.experiment)
    return row.mean(known.main_metric if known else RATE) is not None


def typical_of(row: Row, metric: Metric) -> Typical | None:
    """Return the typical value of a row's figure; None if unknown."""
    return typical(values_of(row, metric), row.estimate(metric))


def values_of(row: Row, metric: Metric) -> list[float]:
    """Return the values of repetitions that count; see `each.counting`."""
    return samples_of(counting(row.each)).get(metric.name, [])


class Warmth(msgspec.Struct, frozen=True, kw_only=True):
    """The warmth of a platform with a driver, as means over its repetitions; None if unknown.

    Attributes:
        settled: whether it had settled in every repetition before it was measured.
        warm_up_s: the duration of its warm-up; 0 if the first round of a fresh process was measured.
        cpu_us: CPU microseconds per round trip in the asking process.
        cold_per_s: round trips per second in the first round of its process.
        cold_mean_us: the mean round-trip time there, in microseconds.
        cold_cpu_us: as `cpu_us`, there.
    """

    settled: bool
    warm_up_s: float
    cpu_us: float | None = None
    cold_per_s: float | None = None
    cold_mean_us: float | None = None
    cold_cpu_us: float | None = None

    @property
    def word(self) -> str:
        """The warmth in a word or two."""
        if self.settled:
            return "warm"
        return "not settled" if self.warm_up_s else "cold"


def warmth_of(repetitions: Sequence[Repetition]) -> Warmth | None:
    """Return the warmth of a platform; None if it need not warm up."""
    counted = [one.counters for one in repetitions if values.SETTLED in one.counters]
    if not counted:
        return None

    def mean(name: str) -> float | None:
        values = [counters[name] for counters in counted if name in counters]
        return fmean(values) if values else None

    return Warmth(
        settled=all(counters[values.SETTLED] for counters in counted),
        warm_up_s=mean(values.WARM_UP_SECONDS) or 0.0,
        cpu_us=mean(values.CPU_US),
        cold_per_s=mean(values.COLD_RATE),
        cold_mean_us=mean(values.COLD_MEAN_US),
        cold_cpu_us=mean(values.COLD_CPU_US),
    )
