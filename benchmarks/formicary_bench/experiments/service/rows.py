"""How rows of `service/mediated` are made: the time of all rounds, and what the process holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from formicary_bench.results.store import raw
from formicary_bench.results.summary.by_repetition import ByRepetition
from formicary_bench.results.summary.each import HOLDS, RATE, TOTAL, Each, named
from formicary_bench.results.summary.estimates import ServiceEstimates
from formicary_bench.statistics.estimates import mean_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition


class Served(NamedTuple):
    """What the rounds of one repetition took.

    Attributes:
        rounds: how many there were.
        seconds: how long all of them took.
        held: bytes that the process had at the end.
        grew: bytes by which it had grown since the first twentieth.
    """

    rounds: int
    seconds: float
    held: int
    grew: int

    @property
    def per_s(self) -> float:
        """Rounds per second."""
        return self.rounds / self.seconds


class Rounds(ByRepetition[Served]):
    """Of rounds of a service."""

    raw = "create"
    compared_by = (RATE,)

    def read(self, run: RunFolder, repetition: Repetition) -> Served | None:
        """Read what a repetition took; None where it says nothing."""
        return _served(run, repetition)

    def figures(self, one: Served) -> Each:
        """Return the figures of one repetition."""
        return _each(one)

    def estimates(self, found: Sequence[Served]) -> dict[str, Any]:
        """Return the fields of a row."""
        rate = mean_estimate([one.per_s for one in found])
        total = mean_estimate([one.seconds for one in found])
        return {
            "round_trips": sum(one.rounds for one in found),
            "round_trips_per_s": rate.mean,
            "round_trips_per_s_ci95": rate.ci95,
            "total_s": total.mean,
            "total_s_ci95": total.ci95,
            "service": _held(found),
        }


SUMMARY = Rounds()


def _served(run: RunFolder, repetition: Repetition) -> Served | None:
    """Read what rounds took; None where there were none."""
    data = run.raw(repetition, raw.Creations)
    rounds, seconds = int(data.agents.sum()), float(data.seconds.sum())
    if not rounds or not seconds:
        return None
    held = data.bytes.tolist()
    return Served(rounds, seconds, held[-1], held[-1] - held[0])


def _held(found: Sequence[Served]) -> ServiceEstimates:
    """Return what the processes hold; nothing of other platforms, which do not say."""
    if not all(one.held for one in found):
        return ServiceEstimates()
    return ServiceEstimates(
        held_bytes=mean_estimate([float(one.held) for one in found]),
        grew_bytes=mean_estimate([float(one.grew) for one in found]),
    )


def _each(one: Served) -> Each:
    return Each(per_s=one.per_s, others=named({TOTAL: one.seconds, HOLDS: float(one.held) or None}))
