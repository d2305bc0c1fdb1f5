"""What a subject cannot do of what is asked for: left out of the plan, and said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.registry import subject_of, subjects
from formicary_bench.vocabulary.places import HOSTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def fits(configuration: Configuration) -> bool:
    """Return whether a configuration is within what its subject takes."""
    subject = subject_of(configuration.platform, configuration.kind)
    exchange = configuration.exchange
    few = not subject.most_pairs or exchange.load <= subject.most_pairs
    return few and (not subject.most_bytes or exchange.payload_bytes <= subject.most_bytes)


def beyond(options: Options, plan: Sequence[Configuration]) -> list[str]:
    """Return what is left out of a plan, in sentences: what the subjects that were named cannot do.

    Of a selection, which names subjects itself, it is those that are not installed.
    """
    if options.subjects is None:
        return [
            f"left out: {name} is not installed; {RECIPES[name].how_to_install}" for name in _absent(options)
        ]
    named = [subject for subject in subjects() if subject.name in options.subjects]
    there = {one.platform for one in plan}
    absent = dict.fromkeys(subject.platform for subject in named if subject.platform not in there)
    sentences = [f"left out: {platform} cannot do {options.experiment} as asked for" for platform in absent]
    experiment = EXPERIMENTS.get(options.experiment)
    for subject in named if experiment else ():
        if subject.exchanges and subject.platform in there:
            assert experiment is not None
            sentences += [
                f"left out: {subject.name} {what}" for what in _limits(subject, experiment, options)
            ]
    return sentences


def _absent(options: Options) -> list[str]:
    """Return the subjects that a selection names, and which have no driver here though one can be made."""
    parts = SELECTIONS[options.experiment].parts if options.experiment in SELECTIONS else ()
    there = {subject.name for subject in subjects()}
    return sorted({name for part in parts for name in part.subjects if name in RECIPES} - there)


def _limits(subject: Subject, experiment: Experiment, options: Options) -> Iterator[str]:
    usual = [placement for placement in experiment.placements if placement not in HOSTED]
    for placement in options.placements or usual:
        if placement not in subject.carriers:
            yield f"cannot be measured with {placement}"
    sizes = {**experiment.sizes, **options.sizes}
    loads = [load for load in sizes.get("pairs", ()) if load > subject.most_pairs > 0]
    if loads:
        yield f"with {_listed(loads)} pairs, as it takes at most {subject.most_pairs}"
    large = [size for size in sizes.get("payload_bytes", ()) if size > subject.most_bytes > 0]
    if large:
        yield f"with {_listed(large)} bytes, as it takes at most {subject.most_bytes}"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
