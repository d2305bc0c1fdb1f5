"""Which visits to a shop there can be, and how long they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.mobile.web_shop import Shopping
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary.places import APART, DIRECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration

_VISIT_S, _REQUEST_S = 0.002, 0.0003


def visits(draft: Draft) -> Iterator[Draft]:
    """Give visits; with other clients, each goes on until the slowest is measured.

    Raises:
        UsageError: a delay cannot be had on this way.
    """
    if draft.sizes.get("delay_us"):
        _check_delay(draft)
    warm_up, measured, cool_down = draft.asked_rounds or draft.experiment.sizes["rounds"]
    if draft.sizes["pairs"] > 1 and not draft.options.sizes.get("rounds"):
        cool_down = cool_down or measured
    yield draft.sized(rounds=(warm_up, measured, cool_down))


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long the visits take."""
    sizes = Shopping.of(one)
    return DefaultDuration(begin, sizes.trips * sizes.load * (_VISIT_S + sizes.requests * _REQUEST_S))


def _check_delay(draft: Draft) -> None:
    if draft.layout.placement != APART:
        raise UsageError(
            "--delay is for two processes on this machine: omit it, and set the delay of the "
            "hosts, for example with `formicary hosts lab up --delay 2ms`"
        )
    if draft.carrier.route != DIRECT:
        raise UsageError("--delay is for direct links, without a server: use --route direct")
