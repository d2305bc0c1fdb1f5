"""Which loops there are of `mobile/...`, and how long they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.mobile import Looped
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary.values import AT_ONCE, laps, smallest_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration

# Operations of loops per second, in turn; those at once are more.
_LOOPED = {"in-process": 40_000, "direct": 2_000, "auto": 2_000, "xmpp": 800, "tcp": 4_000, "own": 200}
_AT_ONCE = 3
_SLEPT = 4_000  # agents that are made, fall asleep, wake and end, per second


def whole_loops(draft: Draft) -> Iterator[Draft]:
    """Give the loops of an experiment.

    Raises:
        UsageError: a loop is none of this experiment.
    """
    name, loop = draft.experiment.name, draft.sizes["loop"]
    smallest = smallest_of(name)
    if loop % smallest:
        raise UsageError(
            f"a loop of {name} must have a multiple of {smallest} operations, not {loop}; use "
            f"--loop {max(loop // smallest, 1) * smallest}, for example"
        )
    if draft.sizes.get("rate"):
        yield draft.sized(rate=0)
        if draft.subject.baseline or draft.subject.exchanges:
            return  # by hand, and on other platforms, nobody finds what has gone elsewhere
    yield draft


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long the loops take."""
    sizes = Looped.of(one)
    rate = _LOOPED[one.route] * (_AT_ONCE if sizes.way == AT_ONCE else 1)
    return DefaultDuration(begin, _operations(one) / rate)


def duration_of_waking(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long loops of agents take that sleep and are woken; tasks only wait."""
    if one.platform != "formicary":
        return duration(one, begin)
    return DefaultDuration(begin, _operations(one) / _SLEPT)


def _operations(one: Configuration) -> int:
    return sum(laps(Looped.of(one).loop, smallest_of(one.experiment)))
