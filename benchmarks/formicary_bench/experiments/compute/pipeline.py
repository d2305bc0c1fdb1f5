"""Agents that compute in the pipeline: their cores, the duration, and the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.compute.mix import COMPUTED, MADE, SPENT, TALKED, TRIP, TRIPS
from formicary_bench.experiments.compute.speed_up import CPU_TIME, ELAPSED, SPEED_UP, Computing
from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.runner.planning.hosts import cores_of, few_cores_of, is_short
from formicary_bench.vocabulary.values import CPU_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration


_COMPUTATIONS = 64  # by few agents together: enough that the ends of a measurement do not matter
_COMPUTATION_S = 0.05


def on_cores(draft: Draft) -> Iterator[Draft]:
    """Yield a draft for each number of cores.

    Raises:
        UsageError: the machine has fewer cores than were asked for.
    """
    options = draft.options
    loop = draft.sizes.get("loop") or max(_COMPUTATIONS // draft.sizes["agents"], 1)
    for cores in few_cores_of(options) if is_short(draft.part, options) else cores_of(options):
        yield draft.sized(loop=loop, cores=cores)


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of a repetition."""
    sizes = Computing.of(one)
    at_once = min(max(sizes.cores, 1), sizes.agents)
    return DefaultDuration(begin, sizes.agents * sizes.loop * _COMPUTATION_S / at_once)


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the times of a repetition; None if it has none."""
    elapsed = float(run.raw(repetition, raw.Creations).seconds.sum())
    cpu = repetition.counters.get(CPU_SECONDS, 0.0)
    if elapsed <= 0 or cpu <= 0:
        return None
    return reading({SPEED_UP: cpu / elapsed, ELAPSED: elapsed, CPU_TIME: cpu})


SUMMARY = Summary(raw="create", read=_read, compared_by=(SPEED_UP,))


def _read_mix(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read what agents did in their time, without what none did; None if they did nothing."""
    elapsed = float(run.raw(repetition, raw.Creations).seconds.sum())
    made, talked, computed, cpu = (
        repetition.counters.get(one, 0.0) for one in (MADE, TALKED, COMPUTED, CPU_SECONDS)
    )
    if elapsed <= 0 or talked + computed <= 0:
        return None
    return reading(
        {
            TRIPS: made / elapsed if made else None,
            SPEED_UP: cpu / elapsed if cpu else None,
            TRIP: talked / made * 1e6 if made else None,
            SPENT: computed / (talked + computed),
            CPU_TIME: cpu,
        }
    )


MIXED = Summary(raw="create", read=_read_mix, compared_by=(TRIPS, SPEED_UP))
