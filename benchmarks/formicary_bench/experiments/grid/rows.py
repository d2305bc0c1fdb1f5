"""How rows of `grid/swap` are made: rates, and how evenly the agents came to swap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from formicary_bench.results.store.raw import Tallies
from formicary_bench.results.summary.by_repetition import ByRepetition
from formicary_bench.results.summary.each import BY_CHANCE, DEVIATION, HOLDS, RATE, UNFAIRNESS, Each, named
from formicary_bench.results.summary.estimates import SwapEstimates
from formicary_bench.statistics.estimates import mean_estimate
from formicary_bench.vocabulary.grid import COPIED, HELD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.estimates import Estimate

MESSAGES = 2
"""Messages of a request: itself, and its answer."""


class Swapped(NamedTuple):
    """What the agents of one repetition have done.

    Attributes:
        requests: how many requests there were.
        swaps: how many of them were granted.
        seconds: how long all took.
        mean: swaps of an agent, on average.
        deviation: their standard deviation, over all agents.
        least: the fewest swaps of an agent.
        most: the most.
        held: bytes of the processes' memory; None where that is not known.
    """

    requests: int
    swaps: int
    seconds: float
    mean: float
    deviation: float
    least: int
    most: int
    held: float | None

    @property
    def by_chance(self) -> float:
        """The standard deviation, by that of what falls to any agent by chance."""
        return self.deviation / math.sqrt(self.mean)

    @property
    def unfairness(self) -> float:
        """By what part of the most swaps the fewest are less."""
        return (self.most - self.least) / self.most


class Swaps(ByRepetition[Swapped]):
    """Of swaps on a grid: agents that get copies are held against those that do not."""

    raw = "tallies"
    compared_by = (RATE,)

    def read(self, run: RunFolder, repetition: Repetition) -> Swapped | None:
        """Read what a repetition took; None where it says nothing."""
        return _swapped(run, repetition)

    def figures(self, one: Swapped) -> Each:
        """Return the figures of one repetition."""
        return _each(one)

    def estimates(self, found: Sequence[Swapped]) -> dict[str, Any]:
        """Return the fields of a row."""
        rate = mean_estimate([one.requests / one.seconds for one in found])
        return {
            "swapped": _estimates(found),
            "round_trips": sum(one.requests for one in found),
            "round_trips_per_s": rate.mean,
            "round_trips_per_s_ci95": rate.ci95,
        }

    def is_held_against(self, row: Row, base: Row) -> bool:
        """Return whether a row is held against another: copies against references, these against others."""
        is_copied = (row.kind, base.kind) == (COPIED, "micro")
        is_other = row.kind == "micro" and base.platform != row.platform
        return (is_copied or is_other) and _grid(row) == _grid(base)


SUMMARY = Swaps()


def _grid(row: Row) -> tuple[object, ...]:
    return row.dimension, row.swaps, row.containers, row.placement, row.route, row.tls


def _swapped(run: RunFolder, repetition: Repetition) -> Swapped | None:
    """Read what the agents of a repetition have done; None where they have done nothing."""
    data = run.raw(repetition, Tallies)
    agents, swaps, refused = data.agents.tolist(), data.swaps.tolist(), data.refused.tolist()
    many = sum(agents)
    made = sum(one * count for one, count in zip(swaps, agents, strict=True))
    seconds = max(data.seconds.tolist(), default=0.0)
    if not made or seconds <= 0:
        return None
    mean = made / many
    squares = math.fsum(count * (one - mean) ** 2 for one, count in zip(swaps, agents, strict=True))
    there = [one for one, count in zip(swaps, agents, strict=True) if count]
    return Swapped(
        requests=made + sum(refused),
        swaps=made,
        seconds=seconds,
        mean=mean,
        deviation=math.sqrt(squares / many),
        least=min(there),
        most=max(there),
        held=repetition.counters.get(HELD),
    )


def _each(one: Swapped) -> Each:
    figures = {
        DEVIATION: one.deviation,
        BY_CHANCE: one.by_chance,
        UNFAIRNESS: one.unfairness,
        HOLDS: one.held,
    }
    return Each(per_s=one.requests / one.seconds, others=named(figures))


def _estimates(found: Sequence[Swapped]) -> SwapEstimates:
    def over(figure: Callable[[Swapped], float]) -> Estimate:
        return mean_estimate([figure(one) for one in found])

    held = [one.held for one in found if one.held is not None]
    return SwapEstimates(
        swaps_per_s=over(lambda one: one.swaps / one.seconds),
        messages_per_s=over(lambda one: MESSAGES * one.requests / one.seconds),
        refused=over(lambda one: 1 - one.swaps / one.requests),
        mean=over(lambda one: one.mean),
        deviation=over(lambda one: one.deviation),
        by_chance=over(lambda one: one.by_chance),
        unfairness=over(lambda one: one.unfairness),
        held_bytes=mean_estimate(held) if held else None,
    )
