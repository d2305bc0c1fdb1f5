"""Memory in the pipeline: what is measured, and rows of memory and its growth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.experiments import memory
from formicary_bench.experiments.experiment import Take
from formicary_bench.results.store.raw import Holdings
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading, samples_of
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.statistics.intervals import Interval, median_slope
from formicary_bench.statistics.tests import difference
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.values import CONTAINER, IMPORTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading, Record
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric


_WITHOUT_AGENTS = ("", IMPORTED, CONTAINER)
_DRIVEN = 1000  # agents of other platforms, which may be threads, unless more are asked for
_CREATED = 25_000  # agents per second
_BESIDE_S, _WATCHED_S = 0.6, 1.0  # to sample the memory


def growth_if_wanted(_: Experiment, options: Options) -> Iterator[Part]:
    """Yield `memory/growth` if a time for it is given."""
    if options.sizes.get("seconds"):
        yield Take(placements=memory.GROWING.placements).of(memory.GROWING)


def states(draft: Draft) -> Iterator[Draft]:
    """Yield a draft for each state of a process: with agents, and once each without any."""
    if draft.subject.exchanges:
        yield replace(draft, sizes={})
        has_agents = draft.sizes["agents"] <= _DRIVEN or "agents" in draft.options.sizes
        yield from [draft] if has_agents else []
        return
    has_agents = draft.subject.kind not in _WITHOUT_AGENTS
    # Equal states without agents are measured once.
    yield replace(draft, sizes={"agents": draft.sizes["agents"]} if has_agents else {})


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of measuring a state."""
    return DefaultDuration(begin + _BESIDE_S, Agents.of(one).agents / _CREATED)


def duration_of_growth(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of pairs that talk and are sampled."""
    return DefaultDuration(begin + _BESIDE_S, memory.Growing.of(one).seconds + _WATCHED_S)


SETTLING = 0.2
"""The part of the time in which buffers and arenas find their size, which no slope includes."""

_POINTS = 60  # of a chart
_SEGMENTS = 10  # of the rest: few enough to be long, enough for a usable t quantile


def _read(run: RunFolder, configuration: Configuration, repetition: Repetition) -> Reading | None:
    """Read the memory of processes: once, or over time under load."""
    data = run.raw(repetition, Holdings)
    if not len(data.seconds):
        return None
    held = float(data.uss_bytes[-1])
    if len(data.seconds) == 1:
        return reading({memory.HELD: held, memory.TRACED: float(data.traced_bytes[-1])})
    per_s, per_message = _growth(data)
    lasted = memory.Growing.of(configuration).seconds
    values = {
        memory.HELD: held,
        memory.MESSAGES: float(data.messages[-1]),
        memory.GROWTH_PER_S: per_s.mean if per_s else None,
        memory.GROWTH_PER_MESSAGE: per_message.mean if per_message else None,
        memory.GREW: 1 + per_s.mean * lasted / held if per_s and held else None,
    }
    within = {memory.GROWTH_PER_S: per_s, memory.GROWTH_PER_MESSAGE: per_message}
    return reading(values, records=_over_time(data), within=within)


SUMMARY = Summary(raw="memory", read=_read, is_compared=False)


def each(row: Row, rows: Iterable[Row], metric: Metric = memory.HELD) -> Interval | None:
    """Return the memory of each agent of a row: the excess over an open container, divided by the agents.

    Returns:
        Bytes, with a 95% interval if both were measured more than once (else without width); None without
        agents, or without an open container to compare with.
    """
    agents = row.size("agents")
    without = (other for other in rows if other.estimate(memory.HELD) and not other.size("agents"))
    base = next((one for one in without if one.platform == row.platform and one.kind != IMPORTED), None)
    if not agents or base is None:
        return None
    ours, theirs = (samples_of(side.each).get(metric.name, []) for side in (row, base))
    if not ours or not theirs:
        return None
    more = difference(ours, theirs)
    return Interval(more.mean / agents, more.low / agents, more.high / agents)


def _over_time(data: Holdings) -> list[Record]:
    import numpy as np

    parts = np.array_split(np.arange(len(data.seconds)), min(_POINTS, len(data.seconds)))
    return [
        {
            "seconds": float(np.median(data.seconds[part])),
            memory.HELD.name: float(np.median(data.uss_bytes[part])),
        }
        for part in parts
    ]


def _growth(data: Holdings) -> tuple[Interval | None, Interval | None]:
    """Return how much a process grows per second, and per message.

    The time after it has settled is cut into segments, as single samples are correlated. The slope is the
    median of those between any two of the segments' medians (Theil and Sen): memory comes and goes in large
    pieces, and one such piece must not count as growth.
    """
    import numpy as np

    settled = data.seconds >= data.seconds[-1] * SETTLING
    parts = np.array_split(np.flatnonzero(settled), _SEGMENTS)
    if any(len(part) == 0 for part in parts):
        return None, None
    held, seconds, messages = (
        np.array([float(np.median(column[part])) for part in parts])
        for column in (data.uss_bytes, data.seconds, data.messages)
    )
    return median_slope(seconds, held), median_slope(messages, held)
