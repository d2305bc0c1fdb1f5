"""How `mobile/web-shop` is planned."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import frame, layouts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def plan_visits(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give visits of all mixes and lengths, with all databases and numbers of clients, by both ways."""
    experiment = part.experiment
    points = product(
        options.databases or experiment.databases,
        options.mixes or part.mixes or experiment.mixes,
        options.requests or part.requests or experiment.requests,
        options.pairs or part.pairs or experiment.pairs,
        list(layouts_of(part, options)),
        subjects,
    )
    warm_up, measured, cool_down = options.rounds or part.rounds or experiment.rounds
    for database, mix, requests, clients, layout, subject in points:
        for carrier in carriers_of(subject, layout, part, options):
            yield replace(
                frame(part, subject, layout, carrier),
                database=database,
                mix=mix,
                requests=requests,
                pairs=clients,
                warm_up=warm_up,
                measured=measured,
                # With others, each goes on until the slowest is measured.
                cool_down=cool_down or (measured if clients > 1 and not options.rounds else 0),
            )
