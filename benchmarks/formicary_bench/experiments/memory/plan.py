"""What is measured of memory: states of a process, and pairs that talk for a time."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.memory import growth
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import Layout, frame, placements_of
from formicary_bench.vocabulary.designs import CONTAINER, IMPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

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
    layouts = [Layout(placement) for placement in placements_of(part, options)]
    without = sorted(
        (subject for subject in subjects if subject.kind in _ORDER),
        key=lambda subject: _ORDER.index(subject.kind),
    )
    for subject, layout in product(without, layouts):
        yield frame(part, subject, layout)
    having = [subject for subject in subjects if subject.kind not in _ORDER]
    for layout, agents, subject in product(layouts, options.agents or part.agents, having):
        yield replace(frame(part, subject, layout), agents=agents)


def plan_growth(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give pairs that talk for a time."""
    seconds = options.growth or GROWTH_SECONDS
    layouts = [Layout(placement) for placement in placements_of(part, options)]
    sizes = product(options.payloads or part.payloads, options.pairs or part.pairs, layouts, subjects)
    for payload, pairs, layout, subject in sizes:
        for carrier in carriers_of(subject, layout, part, options):
            one = frame(part, subject, layout, carrier)
            yield replace(one, pairs=pairs, payload_bytes=payload, seconds=seconds)
