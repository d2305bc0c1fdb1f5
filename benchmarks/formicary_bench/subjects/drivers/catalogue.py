"""What has a driver here, as the laboratory measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.catalogue import (
    LOCATION,
    LOWER_BOUND,
    MANY_TO_ONE,
    PAIRS,
    SCALE,
    SINGLE_PAIR_SIZE,
    SIZE,
)
from formicary_bench.subjects.catalogue import Subject
from formicary_bench.subjects.drivers.registry import Entry, installed
from formicary_bench.vocabulary.placements import APART, SAME
from formicary_bench.vocabulary.routes import OWN, XMPP, Carrier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.subjects.drivers.protocol import Hello

EXCHANGES = (PAIRS.name, MANY_TO_ONE.name, SIZE.name)
"""The experiments that the protocol knows: who exchanges messages with whom."""

_SAME = {
    LOWER_BOUND.name: PAIRS.name,
    LOCATION.name: PAIRS.name,
    SCALE.name: PAIRS.name,
    SINGLE_PAIR_SIZE.name: SIZE.name,
}


def exchange(experiment: str) -> str:
    """Return which of `EXCHANGES` an experiment has, with other numbers: what a driver is asked to do."""
    return _SAME.get(experiment, experiment)


def driven() -> tuple[Subject, ...]:
    """Return what has a driver that is installed and can be read; it takes part only where it is named."""
    return tuple(subject_for(entry.hello) for entry in installed() if isinstance(entry, Entry))


def subject_for(hello: Hello) -> Subject:
    """Return a platform as its driver has described it."""
    between = Carrier(XMPP if hello.server else OWN)
    carriers = {SAME: (Carrier("in-process"),), APART: (between,)}
    same = (one for one, exchanges in _SAME.items() if exchanges in hello.experiments)
    return Subject(
        hello.name,
        "formicary_bench.subjects.drivers.driven",
        {placement: carriers[placement] for placement in hello.placements},
        hidden=True,
        experiments=(*hello.experiments, *same),
        most_pairs=hello.most_pairs,
        most_bytes=hello.most_bytes,
        accounts=hello.server,
    )


def versions(platforms: Iterable[str]) -> dict[str, str]:
    """Return the versions of those of these platforms that have a driver, with what they run on."""
    wanted = set(platforms)
    found = (entry.hello for entry in installed() if isinstance(entry, Entry))
    return {hello.name: _version(hello) for hello in found if hello.name in wanted}


def _version(hello: Hello) -> str:
    return f"{hello.version} on {hello.runtime}" if hello.runtime else hello.version
