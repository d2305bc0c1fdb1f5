"""How rows are made of computations: their CPU time over the time that all of them take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import SPEED_UP, TOTAL, Each, named
from formicary_bench.results.summary.estimates import ComputeEstimates
from formicary_bench.results.summary.row import NO_INTERVAL, OVER_REPETITIONS, Digest, frame
from formicary_bench.results.verdicts.verdicts import stability_of
from formicary_bench.statistics.estimates import mean_estimate
from formicary_bench.vocabulary.computing import CPU_SECONDS

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration


class Computed(NamedTuple):
    """What the computations of one repetition took, in seconds."""

    cpu_s: float
    elapsed_s: float

    @property
    def speed_up(self) -> float:
        """How many cores they had the use of."""
        return self.cpu_s / self.elapsed_s


class Computations(Summary):
    """Of computations."""

    raw = "create"
    compared_by = (SPEED_UP,)

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of a configuration that computes."""
        found = [one for repetition in repetitions if (one := _computed(run, repetition))]
        row = frame(configuration, repetitions)
        if not found:
            return Digest(row, None)
        each = tuple(map(_each, found))
        changed = msgspec.structs.replace(
            row,
            each=each,
            stability=stability_of(each),
            computed=ComputeEstimates(
                speed_up=mean_estimate([one.speed_up for one in found]),
                cpu_s=mean_estimate([one.cpu_s for one in found]),
                elapsed_s=mean_estimate([one.elapsed_s for one in found]),
            ),
            ci_method=OVER_REPETITIONS if len(found) > 1 else NO_INTERVAL,
        )
        return Digest(changed, None)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return the figures of one repetition."""
        del configuration
        found = _computed(run, repetition)
        return found and _each(found)


SUMMARY = Computations()


def _computed(run: RunFolder, repetition: Repetition) -> Computed | None:
    """Read what a repetition took; None where it says nothing."""
    elapsed = float(run.raw(repetition, raw.Creations).seconds.sum())
    cpu = repetition.counters.get(CPU_SECONDS, 0.0)
    return Computed(cpu, elapsed) if elapsed > 0 and cpu > 0 else None


def _each(one: Computed) -> Each:
    return Each(others=named({SPEED_UP: one.speed_up, TOTAL: one.elapsed_s}))
