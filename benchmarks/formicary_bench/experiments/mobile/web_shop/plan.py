"""How `mobile/web-shop` is planned."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import frame, layouts_of
from formicary_bench.vocabulary.placements import APART
from formicary_bench.vocabulary.routes import DIRECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.hosts import Layout
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.routes import Carrier


def plan_visits(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give visits of all mixes and lengths, with all databases and numbers of clients, by both ways.

    Raises:
        UsageError: a delay cannot be had on this way.
    """
    experiment = part.experiment
    points = product(
        options.delays or (0,),
        options.databases or experiment.databases,
        options.mixes or part.mixes or experiment.mixes,
        options.requests or part.requests or experiment.requests,
        options.pairs or part.pairs or experiment.pairs,
        list(layouts_of(part, options)),
        subjects,
    )
    warm_up, measured, cool_down = options.rounds or part.rounds or experiment.rounds
    for delay_us, database, mix, requests, clients, layout, subject in points:
        for carrier in carriers_of(subject, layout, part, options):
            if delay_us:
                _check_delay(layout, carrier)
            yield replace(
                frame(part, subject, layout, carrier),
                delay_us=delay_us,
                database=database,
                mix=mix,
                requests=requests,
                pairs=clients,
                warm_up=warm_up,
                measured=measured,
                # With others, each goes on until the slowest is measured.
                cool_down=cool_down or (measured if clients > 1 and not options.rounds else 0),
            )


def _check_delay(layout: Layout, carrier: Carrier) -> None:
    if layout.placement != APART:
        raise UsageError(
            "--delay is for two processes of this machine: leave it out, and give the delay to the hosts, by "
            "`formicary hosts lab up --delay 2ms`, say"
        )
    if carrier.route != DIRECT:
        raise UsageError("--delay is for direct links, without a server: write --route direct")
