"""How rows are made of computations: their CPU time over the time that all of them take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from formicary_bench.results.store import raw
from formicary_bench.results.summary.by_repetition import ByRepetition
from formicary_bench.results.summary.each import SPEED_UP, TOTAL, Each, named
from formicary_bench.results.summary.estimates import ComputeEstimates
from formicary_bench.statistics.estimates import mean_estimate
from formicary_bench.vocabulary.computing import CPU_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition


class Computed(NamedTuple):
    """What the computations of one repetition took, in seconds."""

    cpu_s: float
    elapsed_s: float

    @property
    def speed_up(self) -> float:
        """How many cores they had the use of."""
        return self.cpu_s / self.elapsed_s


class Computations(ByRepetition[Computed]):
    """Of computations."""

    raw = "create"
    compared_by = (SPEED_UP,)

    def read(self, run: RunFolder, repetition: Repetition) -> Computed | None:
        """Read what a repetition took; None where it says nothing."""
        return _computed(run, repetition)

    def figures(self, one: Computed) -> Each:
        """Return the figures of one repetition."""
        return _each(one)

    def estimates(self, found: Sequence[Computed]) -> dict[str, Any]:
        """Return the fields of a row."""
        computed = ComputeEstimates(
            speed_up=mean_estimate([one.speed_up for one in found]),
            cpu_s=mean_estimate([one.cpu_s for one in found]),
            elapsed_s=mean_estimate([one.elapsed_s for one in found]),
        )
        return {"computed": computed}


SUMMARY = Computations()


def _computed(run: RunFolder, repetition: Repetition) -> Computed | None:
    """Read what a repetition took; None where it says nothing."""
    elapsed = float(run.raw(repetition, raw.Creations).seconds.sum())
    cpu = repetition.counters.get(CPU_SECONDS, 0.0)
    return Computed(cpu, elapsed) if elapsed > 0 and cpu > 0 else None


def _each(one: Computed) -> Each:
    return Each(others=named({SPEED_UP: one.speed_up, TOTAL: one.elapsed_s}))
