"""What is measured. Pure: nothing here looks at the machine but for what is installed."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.experiments.catalogue import (
    CREATE,
    EXPERIMENTS,
    LOWER_BOUND,
    MANY_TO_ONE,
    MEMORY,
    Part,
    Point,
)
from formicary_bench.experiments.memory.plan import memory_plan
from formicary_bench.experiments.messaging.open_loop.plan import paced
from formicary_bench.experiments.presets.presets import PAPER, sizes_of
from formicary_bench.experiments.selections import quick
from formicary_bench.experiments.selections.registry import SELECTIONS
from formicary_bench.results.store.model import Configuration
from formicary_bench.runner.planning.drivers import fits
from formicary_bench.runner.planning.hosts import check_hosts, layouts_of, placements_of
from formicary_bench.runner.planning.parts import parts_of
from formicary_bench.runner.planning.profiles import with_profiles
from formicary_bench.runner.planning.routes import carriers_of, refuse_idle
from formicary_bench.subjects.catalogue import subjects
from formicary_bench.vocabulary.names import DIRECTORY
from formicary_bench.vocabulary.traffic import AWAY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.experiments.catalogue import Rounds
    from formicary_bench.runner.planning.hosts import Layout
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.catalogue import Subject
    from formicary_bench.vocabulary.routes import Carrier

_EXPERIMENTS = {experiment.name: experiment for experiment in EXPERIMENTS}
_FEWEST = 20  # measured round trips of a pair
_MOST_IN_MEMORY = 2**27  # round trips of one repetition


def make_plan(options: Options) -> list[Configuration]:
    """Return all that is to be measured, in the order in which reports show it.

    Raises:
        UsageError: there is nothing to measure, or more than fits into memory.
    """
    parts = list(parts_of(options))
    check_hosts(options, parts)
    plain = [
        _with_warm_up(configuration, options)
        for part in parts
        for configuration in _configurations(part, options)
    ]
    plan = [one for one in dict.fromkeys(with_profiles(plain, options)) if fits(one)]
    refuse_idle(options, plan)
    if not plan or (options.experiment in _EXPERIMENTS and plan[0].experiment != options.experiment):
        out = "--platform, --hosts or --placement" if options.hosts else "--platform or --placement"
        raise UsageError(
            f"nothing is left to measure: {', '.join(options.subjects or ['what is installed'])} cannot do "
            f"{options.experiment}{_where(options)}; leave {out} out"
        )
    for configuration in plan:
        trips = configuration.warm_up + configuration.measured + configuration.cool_down
        if configuration.load * trips > _MOST_IN_MEMORY:
            raise UsageError(
                f"{configuration.load} pairs with {trips} round trips each are more than can be kept in "
                "memory; take smaller --rounds"
            )
    return plan


def _with_warm_up(configuration: Configuration, options: Options) -> Configuration:
    """Have as many round trips before those that are measured as are to be left out."""
    if not isinstance(options.warm_up, int) or not configuration.measured:
        return configuration
    return replace(configuration, warm_up=options.warm_up)


def _configurations(part: Part, options: Options) -> Iterator[Configuration]:
    playing = [subject for subject in subjects() if _takes_part(subject, part, options)]
    if part.experiment.family == CREATE.family:
        sizes = options.agents or CREATE.agents
        yield from (_creation(*point) for point in product(placements_of(part, options), sizes, playing))
        return
    if part.experiment.family == MEMORY.family:
        yield from memory_plan(part, options, playing, placements_of(part, options))
        return
    layouts = list(layouts_of(part, options))
    if part.experiment.family == DIRECTORY:
        for layout, subject in product(layouts, playing):
            for carrier in carriers_of(subject, layout, part, options):
                yield from _directory(part, options, subject, layout, carrier)
        return
    points = product(options.payloads or part.payloads, options.pairs or part.loads, layouts, playing)
    for payload, load, layout, subject in points:
        for carrier in carriers_of(subject, layout, part, options):
            point = Point(layout.placement, carrier, load, payload)
            plain = _messaging(part, options, subject, point)
            there = replace(plain, hosts=layout.hosts, traffic=layout.traffic)
            yield from paced(there, part.experiment, options)


def _creation(placement: str, agents: int, subject: Subject) -> Configuration:
    return Configuration(
        experiment=CREATE.name,
        platform=subject.platform,
        kind=subject.kind,
        placement=placement,
        route="none",
        agents=agents,
    )


def _directory(
    part: Part, options: Options, subject: Subject, layout: Layout, carrier: Carrier
) -> Iterator[Configuration]:
    """Give the sizes of an experiment with the directory, where one agent uses it."""
    frame = Configuration(
        experiment=part.experiment.name,
        platform=subject.platform,
        kind=subject.kind,
        placement=layout.placement,
        hosts=layout.hosts,
        route=carrier.route,
        tls=carrier.tls,
    )
    if part.experiment.agents:
        for agents in options.agents or part.agents or part.experiment.agents:
            yield replace(frame, agents=agents)
        return
    rounds = options.rounds or part.experiment.rounds
    containers = (options.containers or part.containers) if part.experiment.containers else (0,)
    services = part.services if options.services is None else options.services
    for many, seen_by in product(services, containers):
        yield replace(
            frame,
            pairs=1,
            services=many,
            spread=layout.spread if many else AWAY,
            containers=seen_by,
            warm_up=rounds[0],
            measured=rounds[1],
            cool_down=rounds[2],
        )


def _takes_part(subject: Subject, part: Part, options: Options) -> bool:
    if options.subjects is not None:
        wanted = subject.name in options.subjects
    else:
        wanted = subject.is_installed() and (not subject.hidden or subject.name in part.subjects)
    return wanted and part.experiment.has(subject) and (not part.subjects or subject.name in part.subjects)


def _messaging(part: Part, options: Options, subject: Subject, point: Point) -> Configuration:
    rounds = options.rounds or _rounds(part, options, subject, point)
    return Configuration(
        experiment=part.experiment.name,
        platform=subject.platform,
        kind=subject.kind,
        placement=point.placement,
        route=point.carrier.route,
        tls=point.carrier.tls,
        pairs=point.load,
        senders=point.load if part.experiment is MANY_TO_ONE else 0,
        payload_bytes=point.payload,
        warm_up=rounds[0],
        measured=rounds[1],
        cool_down=rounds[2],
    )


def _rounds(part: Part, options: Options, subject: Subject, point: Point) -> Rounds:
    """Return how many round trips of a pair a preset has, else a selection, else the experiment."""
    if part.experiment is LOWER_BOUND:
        return LOWER_BOUND.rounds  # total times say something beside each other if all make as many
    selection = SELECTIONS.get(options.experiment)
    if options.preset == PAPER:
        return sizes_of(part.experiment, PAPER).rounds or _usual(part, subject, point)
    if selection and not options.preset:
        return selection.rounds(subject, point)
    return quick.rounds(subject, point) if options.preset else _usual(part, subject, point)


def _usual(part: Part, subject: Subject, point: Point) -> Rounds:
    """Return how many round trips of a pair are usual in an experiment: of a slow platform, fewer."""
    if not subject.trips:
        return part.rounds or part.experiment.rounds
    measured = max(subject.trips // point.load, _FEWEST)
    return measured // 4, measured, measured if point.load > 1 else 0


def _where(options: Options) -> str:
    if options.placements:
        return f" with {', '.join(options.placements)}"
    return " over hosts" if options.hosts else ""
