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

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def plan_loops(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give what is measured of an experiment that makes loops of an operation.

    Raises:
        UsageError: a loop or a way is none of this experiment.
    """
    experiment = part.experiment
    sizes = product(
        options.loops or part.loops or experiment.loops,
        _ways_of(experiment, options),
        (0, *(options.rates or experiment.rates)) if experiment.rates else (0,),
        (options.pairs or part.pairs or experiment.pairs) if experiment.pairs else (0,),
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


def _ways_of(experiment: Experiment, options: Options) -> Sequence[str]:
    """Return in which ways it is measured; in a selection those that are named, if it has them."""
    if options.ways is None or not experiment.ways:
        return experiment.ways or ("",)
    named = [way for way in experiment.ways if way in options.ways]
    wrong = [way for way in options.ways if way not in experiment.ways]
    if wrong and options.experiment == experiment.name:
        raise UsageError(
            f"{experiment.name} has no way {wrong[0]}; it has {', '.join(experiment.ways)}: leave --way out"
        )
    return named
