"""How much of an open loop is measured: at which rates, and for how long."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.messaging.open_loop import Paced
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary.values import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters.shared import Rounds

PHASES_S = 0.5, 2.0, 0.5
"""How long a load comes before, while and after it is measured, where nobody says how many messages."""

_LONGEST_S = 3600
_TRIALS, _TRIAL_S = 10, 0.8  # rates that a search tries, and seconds of each load


def at_rates(draft: Draft) -> Iterator[Draft]:
    """Give messages at a rate.

    Raises:
        UsageError: messages are too small to be told apart, or would take longer than an hour.
    """
    _check_size(draft)
    rate, pairs = draft.sizes["rate"], draft.sizes["pairs"]
    rounds = draft.options.sizes.get("rounds") or rounds_at(rate, pairs, PHASES_S)
    seconds = pairs * sum(rounds) / rate
    if seconds > _LONGEST_S:
        raise UsageError(
            f"{pairs} pairs at {rate} messages/s would take {seconds / 3600:.1f} hours; use a "
            "higher --rate, fewer --pairs or smaller --rounds"
        )
    yield draft.sized(rounds=rounds)


def searches(draft: Draft) -> Iterator[Draft]:
    """Give what the highest rate is searched of.

    Raises:
        UsageError: messages are too small to be told apart.
    """
    _check_size(draft)
    yield draft


def rounds_at(rate: int, pairs: int, phases_s: tuple[float, float, float]) -> Rounds:
    """Return how many messages of each pair take so many seconds in T1, T2 and T3 at a rate."""
    warm_up, measured, cool_down = (ceil(rate / pairs * seconds) for seconds in phases_s)
    return warm_up, measured, cool_down


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long a repetition takes: as long as its messages last."""
    return DefaultDuration(begin, one.exchange.load * one.exchange.trips / Paced.of(one).rate)


def search_duration(_: Configuration, begin: float) -> DefaultDuration:
    """Return how long the search for the highest rate takes."""
    return DefaultDuration(_TRIALS * begin, _TRIALS * _TRIAL_S)


def _check_size(draft: Draft) -> None:
    """Refuse messages that are too small to have a number."""
    if draft.sizes["payload_bytes"] < HEAD:
        raise UsageError(
            f"{draft.experiment.name} identifies messages by the first {HEAD} bytes of their "
            f"bodies; use --payload {HEAD} or more"
        )
