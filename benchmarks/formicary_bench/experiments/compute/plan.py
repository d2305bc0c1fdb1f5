"""On how many cores agents compute, how often, and how long that takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.compute.speed_up import Computing
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.runner.planning.hosts import cores_of, few_cores_of, is_short

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration

_COMPUTATIONS = 64  # of few agents together: so many that begin and end of a measurement do not matter
_COMPUTATION_S = 0.05


def on_cores(draft: Draft) -> Iterator[Draft]:
    """Give all numbers of cores.

    Raises:
        UsageError: the machine has fewer cores than were asked for.
    """
    options = draft.options
    loop = draft.sizes.get("loop") or max(_COMPUTATIONS // draft.sizes["agents"], 1)
    for cores in few_cores_of(options) if is_short(draft.part, options) else cores_of(options):
        yield draft.sized(loop=loop, cores=cores)


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long a repetition takes."""
    sizes = Computing.of(one)
    at_once = min(max(sizes.cores, 1), sizes.agents)
    return DefaultDuration(begin, sizes.agents * sizes.loop * _COMPUTATION_S / at_once)
