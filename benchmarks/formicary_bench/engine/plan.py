"""What is measured, and in which order. Pure: nothing here looks at the machine but for what is installed."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.engine.plan_memory import memory_plan, memory_size
from formicary_bench.engine.plan_profiles import with_profiles
from formicary_bench.engine.ways import refuse_idle, ways_of
from formicary_bench.experiments.catalogue import (
    CREATE,
    EXPERIMENTS,
    GROWTH,
    MANY_TO_ONE,
    MEMORY,
    PAIRS,
    Part,
    Point,
)
from formicary_bench.experiments.directory import A_MESSAGE
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.platforms.catalogue import AUTO, SUBJECTS, XMPP, subject_of
from formicary_bench.results.model import DIRECTORY, Configuration, is_cpu

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.engine.options import Options
    from formicary_bench.platforms.catalogue import Subject, Way

_EXPERIMENTS = {experiment.name: experiment for experiment in EXPERIMENTS}
_MOST_IN_MEMORY = 2**27  # round trips of one repetition


def make_plan(options: Options) -> list[Configuration]:
    """Return all that is to be measured, in the order in which reports show it.

    Raises:
        UsageError: there is nothing to measure, or more than fits into memory.
    """
    parts = list(_parts(options))
    _check_placements(options, parts)
    plain = [configuration for part in parts for configuration in _configurations(part, options)]
    plan = list(with_profiles(plain, options))
    refuse_idle(options, plan)
    if not plan or (options.experiment in _EXPERIMENTS and plan[0].experiment != options.experiment):
        raise UsageError(
            f"nothing is left to measure: {', '.join(options.subjects or ['what is installed'])} cannot do "
            f"{options.experiment}{_where(options)}; leave --platform or --placement out"
        )
    for configuration in plan:
        trips = configuration.warm_up + configuration.measured + configuration.cool_down
        if configuration.load * trips > _MOST_IN_MEMORY:
            raise UsageError(
                f"{configuration.load} pairs with {trips} round trips each are more than can be kept in "
                "memory; take smaller --rounds"
            )
    return plan


def schedule(plan: Sequence[Configuration], repeat: int, seed: int) -> list[tuple[Configuration, int, int]]:
    """Return the order of the measurements: configuration, number of the repetition, seed.

    Each configuration comes once before any comes again, in an order that is drawn anew each time, so that
    what changes on the machine meanwhile does not fall on the same ones.
    """
    generator = random.Random(seed)
    order = []
    for number in range(1, repeat + 1):
        members = list(plan)
        generator.shuffle(members)
        order += [(configuration, number, generator.getrandbits(32)) for configuration in members]
    return order


def needs_server(configuration: Configuration) -> bool:
    """Say whether an XMPP server takes part."""
    return configuration.route in {XMPP, AUTO}


def command(configuration: Configuration) -> str:
    """Return the command that measures this configuration alone."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    who = f"formicary bench run {configuration.experiment} --platform {configuration.platform}{kind}"
    if configuration.experiment == CREATE.name:
        return f"{who} --agents {configuration.agents}"
    has_choice = len(_EXPERIMENTS[configuration.experiment].placements) > 1
    where = f" --placement {configuration.placement}" if has_choice else ""
    return f"{who}{where}{_way(configuration)} {_size(configuration)}".rstrip()


def _size(configuration: Configuration) -> str:
    """Give the options that say how much is measured."""
    if configuration.family == MEMORY.family:
        return memory_size(configuration)
    if configuration.agents:
        return f"--agents {configuration.agents}"
    rounds = f"--rounds {configuration.warm_up},{configuration.measured},{configuration.cool_down}"
    if configuration.family == DIRECTORY:
        seen_by = f"--containers {configuration.containers} " if configuration.containers else ""
        return f"{seen_by}--services {configuration.services} {rounds}"
    return f"--pairs {configuration.load} --payload {configuration.payload_bytes} {rounds}"


def _way(configuration: Configuration) -> str:
    """Give the options that choose a configuration's way, where it has any choice."""
    subject = subject_of(configuration.platform, configuration.kind)
    ways = subject.ways[configuration.placement]
    route = f" --route {configuration.route}" if subject.has_choice(configuration.placement) else ""
    return f"{route} --tls {'on' if configuration.tls else 'off'}" if len(ways) > 1 else ""


def _parts(options: Options) -> Iterator[Part]:
    if options.experiment in SELECTIONS:
        yield from SELECTIONS[options.experiment].parts
        return
    one = _EXPERIMENTS[options.experiment]
    yield Part(
        one,
        loads=one.loads,
        payloads=one.payloads,
        agents=one.agents,
        services=one.services,
        containers=one.containers,
        placements=one.placements,
        ways=one.ways,
    )
    if one is MEMORY and options.growth:
        yield Part(GROWTH, loads=GROWTH.loads, payloads=GROWTH.payloads, placements=GROWTH.placements)
    if one.family == DIRECTORY and not is_cpu(one.name):
        yield Part(PAIRS, A_MESSAGE.subjects, A_MESSAGE.loads, placements=one.placements)


def _check_placements(options: Options, parts: Sequence[Part]) -> None:
    has = {place for part in parts for place in part.placements if place in part.experiment.placements}
    for placement in options.placements or ():
        if placement not in has:
            raise UsageError(
                f"{options.experiment} has no placement {placement}; it has {', '.join(sorted(has))}: "
                "leave --placement out"
            )


def _configurations(part: Part, options: Options) -> Iterator[Configuration]:
    subjects = [subject for subject in SUBJECTS if _takes_part(subject, part, options)]
    wanted = set(options.placements or part.placements) & set(part.experiment.placements)
    placements = [placement for placement in part.placements if placement in wanted]
    if part.experiment.family == CREATE.family:
        sizes = options.agents or CREATE.agents
        yield from (_creation(*point) for point in product(placements, sizes, subjects))
        return
    if part.experiment.family == MEMORY.family:
        yield from memory_plan(part, options, subjects, placements)
        return
    if part.experiment.family == DIRECTORY:
        for placement, subject in product(placements, subjects):
            for way in ways_of(subject, placement, part, options):
                yield from _directory(part, options, subject, placement, way)
        return
    points = product(options.payloads or part.payloads, options.pairs or part.loads, placements, subjects)
    for payload, load, placement, subject in points:
        for way in ways_of(subject, placement, part, options):
            yield _messaging(part, options, subject, Point(placement, way, load, payload))


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
    part: Part, options: Options, subject: Subject, placement: str, way: Way
) -> Iterator[Configuration]:
    """Give the sizes of an experiment with the directory, where one agent uses it."""
    frame = Configuration(
        experiment=part.experiment.name,
        platform=subject.platform,
        kind=subject.kind,
        placement=placement,
        route=way.route,
        tls=way.tls,
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
    selection = SELECTIONS.get(options.experiment)
    rounds = options.rounds or (selection.rounds(subject, point) if selection else part.experiment.rounds)
    return Configuration(
        experiment=part.experiment.name,
        platform=subject.platform,
        kind=subject.kind,
        placement=point.placement,
        route=point.way.route,
        tls=point.way.tls,
        pairs=point.load,
        senders=point.load if part.experiment is MANY_TO_ONE else 0,
        payload_bytes=point.payload,
        warm_up=rounds[0],
        measured=rounds[1],
        cool_down=rounds[2],
    )


def _where(options: Options) -> str:
    return f" with {', '.join(options.placements)}" if options.placements else ""
