"""How `service/mediated` is planned."""

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


def plan_rounds(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give all numbers of rounds."""
    many = options.requests or part.requests or part.experiment.requests
    for layout, requests, subject in product(list(layouts_of(part, options)), many, subjects):
        for carrier in carriers_of(subject, layout, part, options):
            yield replace(frame(part, subject, layout, carrier), requests=requests)
