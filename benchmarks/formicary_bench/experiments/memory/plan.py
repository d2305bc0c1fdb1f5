"""What is measured of memory: states of a process, and pairs that talk for a time."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.memory import growth
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import Layout, placements_of
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.designs import CONTAINER, IMPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject

GROWTH_SECONDS = 20
"""How long the load lasts unless another time is asked for."""

_ORDER = ("", IMPORTED, CONTAINER)  # each holds what the one before does, and then come agents


def growth_if_wanted(_: Experiment, options: Options) -> Iterator[Part]:
    """Give `memory/growth`, where a time for it is asked for."""
    one = growth.EXPERIMENT
    if options.growth:
        yield Take(pairs=one.pairs, payloads=one.payloads, placements=one.placements).of(one)


def plan_states(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give the states of a process: without agents, and with more and more of them."""
    placements = placements_of(part, options)
    without = [subject for subject in subjects if subject.kind in _ORDER]
    for subject in sorted(without, key=lambda subject: _ORDER.index(subject.kind)):
        yield from (_state(place, 0, subject) for place in placements)
    having = [subject for subject in subjects if subject.kind not in _ORDER]
    yield from (_state(*point) for point in product(placements, options.agents or part.agents, having))


def _state(placement: str, agents: int, subject: Subject) -> Configuration:
    return Configuration(
        experiment="memory",
        platform=subject.platform,
        kind=subject.kind,
        placement=placement,
        route="none",
        agents=agents,
    )


def plan_growth(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give pairs that talk for a time."""
    sizes = product(options.payloads or part.payloads, options.pairs or part.pairs)
    for (payload, load), placement, subject in product(sizes, placements_of(part, options), subjects):
        for carrier in carriers_of(subject, Layout(placement), part, options):
            yield Configuration(
                experiment=part.experiment.name,
                platform=subject.platform,
                kind=subject.kind,
                placement=placement,
                route=carrier.route,
                tls=carrier.tls,
                pairs=load,
                payload_bytes=payload,
                seconds=options.growth or GROWTH_SECONDS,
            )
