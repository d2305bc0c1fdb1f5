"""What is measured of `mobile/...`: each largest loop in each way, for each platform at each place."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import frame, layouts_of
from formicary_bench.vocabulary.loops import smallest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def plan_loops(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give what is measured of an experiment that makes loops of an operation.

    Raises:
        UsageError: a loop is none of this experiment.
    """
    experiment = part.experiment
    sizes = product(
        options.loops or part.loops or experiment.loops,
        options.ways or experiment.ways or ("",),
        (0, *(options.rates or experiment.rates)),
        options.pairs or part.pairs or experiment.pairs or (0,),
        (options.payloads or experiment.payloads) if experiment.payloads else (0,),
        list(layouts_of(part, options)),
        subjects,
    )
    smallest = smallest_of(experiment.name)
    for loop, way, rate, pairs, payload, layout, subject in sizes:
        if loop % smallest:
            raise UsageError(
                f"a loop of {experiment.name} has a multiple of {smallest} operations, not {loop}; take "
                f"--loop {max(loop // smallest, 1) * smallest}, say"
            )
        if rate and subject.baseline:  # by hand nobody finds what has gone elsewhere
            continue
        for carrier in carriers_of(subject, layout, part, options):
            yield replace(
                frame(part, subject, layout, carrier),
                loop=loop,
                way=way,
                rate=rate,
                pairs=pairs,
                payload_bytes=payload,
            )
