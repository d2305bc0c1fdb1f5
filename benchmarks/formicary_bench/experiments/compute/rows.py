"""How rows are made of computations: their CPU time over the time that all of them take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.compute.mix import COMPUTED, MADE, SPENT, TALKED, TRIP, TRIPS
from formicary_bench.experiments.compute.speed_up import CPU_TIME, ELAPSED, SPEED_UP
from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.vocabulary.values import CPU_SECONDS

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.vocabulary.configuration import Configuration


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read what a repetition took; None where it says nothing."""
    elapsed = float(run.raw(repetition, raw.Creations).seconds.sum())
    cpu = repetition.counters.get(CPU_SECONDS, 0.0)
    if elapsed <= 0 or cpu <= 0:
        return None
    return reading({SPEED_UP: cpu / elapsed, ELAPSED: elapsed, CPU_TIME: cpu})


SUMMARY = Summary(raw="create", read=_read, compared_by=(SPEED_UP,))


def _read_mix(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read what agents did in their time; None where they did nothing. What none did is left out."""
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
