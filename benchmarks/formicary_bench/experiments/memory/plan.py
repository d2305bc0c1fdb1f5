"""What is measured of memory: states of a process, and pairs that talk for a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.memory import growth
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.values import CONTAINER, IMPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.vocabulary.configuration import Configuration

_WITHOUT_AGENTS = ("", IMPORTED, CONTAINER)
_CREATED = 25_000  # agents per second
_BESIDE_S, _WATCHED_S = 0.6, 1.0  # to look at the memory


def growth_if_wanted(_: Experiment, options: Options) -> Iterator[Part]:
    """Give `memory/growth`, where a time for it is asked for."""
    if options.sizes.get("seconds"):
        yield Take(placements=growth.EXPERIMENT.placements).of(growth.EXPERIMENT)


def states(draft: Draft) -> Iterator[Draft]:
    """Give the states of a process: with so many agents, and once each without any."""
    has_agents = draft.subject.kind not in _WITHOUT_AGENTS
    # Equal ones without agents, beside all numbers of those, are measured once.
    yield replace(draft, sizes={"agents": draft.sizes["agents"]} if has_agents else {})


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long it takes to look at a state."""
    return DefaultDuration(begin + _BESIDE_S, Agents.of(one).agents / _CREATED)


def duration_of_growth(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long pairs talk, and are looked at."""
    return DefaultDuration(begin + _BESIDE_S, growth.Growing.of(one).seconds + _WATCHED_S)
