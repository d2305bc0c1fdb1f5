"""How much of an open loop is measured: at which rates, and for how long."""

from __future__ import annotations

from itertools import product
from math import ceil
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.experiments.messaging.plan import plan_messages
from formicary_bench.vocabulary.arrivals import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

PHASES_S = 0.5, 2.0, 0.5
"""How long a load comes before, while and after it is measured, where nobody says how many messages."""

_LONGEST_S = 3600


def plan_rates(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give messages at all rates, with all kinds of arrivals.

    Raises:
        UsageError: messages are too small to be told apart, or would take longer than an hour.
    """
    rates, arrivals = options.rates or part.experiment.rates, options.arrivals or part.experiment.arrivals
    for plain in _told_apart(part, options, subjects):
        for rate, kind in product(rates, arrivals):
            one = replace(plain, rate=rate, arrivals=kind)
            yield _bounded(one if options.rounds else at_rate(one, rate, PHASES_S))


def plan_searches(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give what the highest rates are searched of, with all kinds of arrivals.

    Raises:
        UsageError: messages are too small to be told apart.
    """
    limit_us = options.limit_us or part.experiment.limit_us
    for plain in _told_apart(part, options, subjects):
        searched = replace(plain, warm_up=0, measured=0, cool_down=0, limit_us=limit_us)
        for kind in options.arrivals or part.experiment.arrivals:
            yield replace(searched, arrivals=kind)


def _told_apart(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give what is measured at every rate; refuse messages that are too small to have a number."""
    for plain in plan_messages(part, options, subjects):
        if plain.payload_bytes < HEAD:
            raise UsageError(
                f"{part.experiment.name} tells messages apart by the first {HEAD} bytes of their bodies; "
                f"take --payload {HEAD} or more"
            )
        yield plain


def at_rate(one: Configuration, rate: int, phases_s: tuple[float, float, float]) -> Configuration:
    """Return a configuration at a rate, with as many messages as take so many seconds in T1, T2 and T3."""
    warm_up, measured, cool_down = (ceil(rate / one.load * seconds) for seconds in phases_s)
    return replace(one, rate=rate, warm_up=warm_up, measured=measured, cool_down=cool_down)


def _bounded(one: Configuration) -> Configuration:
    seconds = one.load * (one.warm_up + one.measured + one.cool_down) / one.rate
    if seconds > _LONGEST_S:
        raise UsageError(
            f"{one.load} pairs at {one.rate} messages/s would take {seconds / 3600:.1f} hours; take a higher "
            "--rate, fewer --pairs or smaller --rounds"
        )
    return one
