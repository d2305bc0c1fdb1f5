"""What is measured of memory: states of a process, and pairs that talk for a time."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formicary_bench.experiments.catalogue import GROWTH
from formicary_bench.results.store.model import Configuration
from formicary_bench.runner.planning.hosts import Layout
from formicary_bench.runner.planning.routes import carriers_of
from formicary_bench.vocabulary.designs import CONTAINER, IMPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.catalogue import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.catalogue import Subject

GROWTH_SECONDS = 20
"""How long the load lasts unless another time is asked for."""

_ORDER = ("", IMPORTED, CONTAINER)  # each holds what the one before does, and then come agents


def memory_plan(
    part: Part, options: Options, subjects: Sequence[Subject], placements: Sequence[str]
) -> Iterator[Configuration]:
    """Give what is measured of an experiment with memory."""
    if part.experiment is GROWTH:
        yield from _growth(part, options, subjects, placements)
        return
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


def _growth(
    part: Part, options: Options, subjects: Sequence[Subject], placements: Sequence[str]
) -> Iterator[Configuration]:
    sizes = product(options.payloads or part.payloads, options.pairs or part.loads)
    for (payload, load), placement, subject in product(sizes, placements, subjects):
        for carrier in carriers_of(subject, Layout(placement), part, options):
            yield Configuration(
                experiment=GROWTH.name,
                platform=subject.platform,
                kind=subject.kind,
                placement=placement,
                route=carrier.route,
                tls=carrier.tls,
                pairs=load,
                payload_bytes=payload,
                seconds=options.growth or GROWTH_SECONDS,
            )


def memory_size(configuration: Configuration) -> str:
    """Give the options that say how much is measured of such an experiment."""
    if not configuration.seconds:
        return f"--agents {configuration.agents}" if configuration.agents else ""
    size = f"--pairs {configuration.pairs} --payload {configuration.payload_bytes}"
    return f"--growth {configuration.seconds} {size}"
