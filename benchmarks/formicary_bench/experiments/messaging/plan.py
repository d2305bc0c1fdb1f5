"""What is measured of messages: all numbers of pairs and sizes of bodies, for each platform at each place."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments.experiment import Point
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.selections import SELECTIONS, quick_rounds
from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.hosts import frame, layouts_of
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.presets import PAPER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part, Rounds
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

_FEWEST = 20  # measured round trips of a pair
_IN_ONE_PROCESS = 50_000  # of all pairs together: of fewer, which are over so soon, begin and end would count


def plan_messages(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give what is measured of an experiment in which each sender waits for an answer."""
    layouts = list(layouts_of(part, options))
    points = product(options.payloads or part.payloads, options.pairs or part.pairs, layouts, subjects)
    for payload, load, layout, subject in points:
        for carrier in carriers_of(subject, layout, part, options):
            point = Point(layout.placement, carrier, load, payload)
            warm_up, measured, cool_down = options.rounds or _rounds(part, options, subject, point)
            yield replace(
                frame(part, subject, layout, carrier),
                pairs=load,
                senders=part.experiment.senders(load),
                payload_bytes=payload,
                warm_up=warm_up,
                measured=measured,
                cool_down=cool_down,
            )


def _rounds(part: Part, options: Options, subject: Subject, point: Point) -> Rounds:
    """Return how many round trips of a pair a preset has, else a selection, else the experiment."""
    if part.experiment.has_fixed_rounds:
        return part.experiment.rounds
    if options.preset == PAPER:
        return preset_of(part.experiment, PAPER).rounds or _usual(part, subject, point)
    if options.preset:
        return quick_rounds(subject, point)
    if selection := SELECTIONS.get(options.experiment):
        return selection.rounds(subject, point)
    usual = _usual(part, subject, point)
    return usual if subject.trips else _lasting(usual, point)


def _usual(part: Part, subject: Subject, point: Point) -> Rounds:
    """Return how many round trips of a pair are usual in an experiment: as many as suit a platform's pace."""
    if not subject.trips:
        return part.rounds or part.experiment.rounds
    measured = max(subject.trips // point.load, _FEWEST)
    return measured // 4, measured, measured if point.load > 1 else 0


def _lasting(rounds: Rounds, point: Point) -> Rounds:
    """Return so many times these that they last a while in one process, too."""
    warm_up, measured, cool_down = rounds
    few = point.placement == SAME and 0 < measured * point.load < _IN_ONE_PROCESS
    times = -(-_IN_ONE_PROCESS // (measured * point.load)) if few else 1
    return warm_up * times, measured * times, cool_down * times
