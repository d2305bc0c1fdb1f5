"""What is measured of an experiment with the directory, where one agent uses it."""

from __future__ import annotations

from dataclasses import replace as changed
from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments.selections import A_MESSAGE
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import frame, layouts_of
from formicary_bench.vocabulary.placements import N_HOSTS
from formicary_bench.vocabulary.traffic import AWAY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def a_message_and_its_answer(experiment: Experiment, _: Options) -> Iterator[Part]:
    """Give what is measured beside an experiment, at the same places."""
    yield changed(A_MESSAGE, placements=tuple(one for one in experiment.placements if one != N_HOSTS))


def plan_directory(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give all sizes, for each platform at each place."""
    for layout, subject in product(list(layouts_of(part, options)), subjects):
        for carrier in carriers_of(subject, layout, part, options):
            one = frame(part, subject, layout, carrier)
            if part.experiment.agents:
                for agents in options.agents or part.agents or part.experiment.agents:
                    yield replace(one, agents=agents)
            else:
                yield from _sizes(one, part, options)


def _sizes(one: Configuration, part: Part, options: Options) -> Iterator[Configuration]:
    warm_up, measured, cool_down = options.rounds or part.experiment.rounds
    containers = (options.containers or part.containers) if part.experiment.containers else (0,)
    services = part.services if options.services is None else options.services
    for many, seen_by in product(services, containers):
        yield replace(
            one,
            pairs=1,
            services=many,
            spread=one.spread if many else AWAY,
            containers=seen_by,
            warm_up=warm_up,
            measured=measured,
            cool_down=cool_down,
        )
