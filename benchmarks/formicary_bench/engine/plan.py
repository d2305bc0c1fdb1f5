"""What is measured, and in which order. Pure: nothing here looks at the machine but for what is installed."""

from __future__ import annotations

import dataclasses
import random
from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.engine.plan_drivers import fits
from formicary_bench.engine.plan_hosts import check_hosts, layouts_of, placements_of
from formicary_bench.engine.plan_memory import memory_plan, memory_size
from formicary_bench.engine.plan_open_loop import paced
from formicary_bench.engine.plan_profiles import with_profiles
from formicary_bench.engine.ways import refuse_idle, ways_of
from formicary_bench.experiments import encryption, quick
from formicary_bench.experiments.catalogue import (
    CREATE,
    ENCRYPTION,
    EXPERIMENTS,
    GROWTH,
    MANY_TO_ONE,
    MEMORY,
    PAIRS,
    Part,
    Point,
)
from formicary_bench.experiments.directory import A_MESSAGE
from formicary_bench.experiments.presets import PAPER, QUICK, sizes_of
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.platforms.catalogue import (
    AUTO,
    N_HOSTS,
    TWO_HOSTS,
    XMPP,
    has_driver,
    subject_of,
    subjects,
)
from formicary_bench.platforms.traffic import AWAY, SAID
from formicary_bench.results.model import DIRECTORY, Configuration, is_cpu

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.engine.options import Options
    from formicary_bench.engine.plan_hosts import Layout
    from formicary_bench.experiments.catalogue import Experiment, Rounds
    from formicary_bench.platforms.catalogue import Subject, Way

_EXPERIMENTS = {experiment.name: experiment for experiment in EXPERIMENTS}
_FEWEST = 20  # measured round trips of a pair
_MOST_IN_MEMORY = 2**27  # round trips of one repetition


def make_plan(options: Options) -> list[Configuration]:
    """Return all that is to be measured, in the order in which reports show it.

    Raises:
        UsageError: there is nothing to measure, or more than fits into memory.
    """
    parts = list(_parts(options))
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


def schedule(
    plan: Sequence[Configuration], repeats: Sequence[int], seed: int
) -> list[tuple[Configuration, int, int]]:
    """Return the order of the measurements: configuration, number of the repetition, seed.

    Each configuration comes once before any comes again, in an order that is drawn anew each time, so that
    what changes on the machine meanwhile does not fall on the same ones.

    Args:
        plan: what is measured.
        repeats: how often, of each.
        seed: determines all of it.
    """
    generator = random.Random(seed)
    order = []
    for number in range(1, max(repeats, default=0) + 1):
        members = [one for one, many in zip(plan, repeats, strict=True) if number <= many]
        generator.shuffle(members)
        order += [(configuration, number, generator.getrandbits(32)) for configuration in members]
    return order


def needs_server(configuration: Configuration) -> bool:
    """Say whether an XMPP server takes part."""
    # Agents that have accounts log in also where their messages stay in one process.
    if configuration.route in {XMPP, AUTO} or not has_driver(configuration):
        return configuration.route in {XMPP, AUTO}
    return subject_of(configuration.platform, configuration.kind).accounts


def command(configuration: Configuration) -> str:
    """Return the command that measures this configuration alone."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    who = f"formicary bench run {configuration.experiment} --platform {configuration.platform}{kind}"
    if (configuration.profiled or configuration.reference) and not is_cpu(configuration.experiment):
        who += " --profile"
    if configuration.experiment == CREATE.name:
        return f"{who} --agents {configuration.agents}"
    has_choice = len(_EXPERIMENTS[configuration.experiment].placements) > 1
    where = f" --placement {configuration.placement}" if has_choice else ""
    return f"{who}{where}{_layout(configuration)}{_way(configuration)} {_size(configuration)}".rstrip()


def _layout(configuration: Configuration) -> str:
    """Give the options that say how many hosts there are, who talks to whom, and where services are."""
    experiment = _EXPERIMENTS[configuration.experiment]
    count = f" --count {configuration.hosts}" if configuration.hosts and "count" in experiment.varies else ""
    traffic = f" --traffic {configuration.traffic}" if configuration.traffic else ""
    # Over hosts there may be several; with two processes it is usually that of all.
    has_spread = configuration.spread or (experiment.spreads and configuration.placement == TWO_HOSTS)
    return f"{count}{traffic}" + (f" --spread {SAID[configuration.spread]}" if has_spread else "")


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
    if configuration.limit_us:
        limit = f"--p99 {configuration.limit_us}us --arrivals {configuration.arrivals}"
        return f"{limit} --pairs {configuration.load} --payload {configuration.payload_bytes}"
    paced = f"--rate {configuration.rate} --arrivals {configuration.arrivals} " if configuration.rate else ""
    return f"{paced}--pairs {configuration.load} --payload {configuration.payload_bytes} {rounds}"


def _way(configuration: Configuration) -> str:
    """Give the options that choose a configuration's way, where it has any choice."""
    subject = subject_of(configuration.platform, configuration.kind)
    ways = subject.ways[configuration.placement]
    if configuration.route == "in-process":
        return ""
    route = f" --route {configuration.route}" if subject.has_choice(configuration.placement) else ""
    return f"{route} --tls {'on' if configuration.tls else 'off'}" if len(ways) > 1 else ""


def _parts(options: Options) -> Iterator[Part]:
    if options.experiment in SELECTIONS:
        yield from (_sized(part, options) for part in SELECTIONS[options.experiment].parts)
        return
    one = _EXPERIMENTS[options.experiment]
    parts = sizes_of(one, options.preset).parts if options.preset else ()
    if one is ENCRYPTION and options.preset != QUICK:
        has = {"has_pairs": options.pairs is not None, "has_payloads": options.payloads is not None}
        parts = encryption.chosen(parts or encryption.PARTS, **has)
    parts = parts or (_whole(one),)
    yield from (_freed(part, options) for part in parts)
    if one is MEMORY and options.growth:
        yield Part(GROWTH, loads=GROWTH.loads, payloads=GROWTH.payloads, placements=GROWTH.placements)
    if one.family == DIRECTORY and not is_cpu(one.name):
        beside = tuple(placement for placement in one.placements if placement != N_HOSTS)
        yield Part(PAIRS, A_MESSAGE.subjects, A_MESSAGE.loads, placements=beside)


def _whole(one: Experiment) -> Part:
    return Part(
        one,
        one.subjects,
        loads=one.loads,
        payloads=one.payloads,
        agents=one.agents,
        services=one.services,
        containers=one.containers,
        placements=one.placements,
        ways=one.ways,
    )


def _sized(part: Part, options: Options) -> Part:
    """Return a part of a selection in the sizes of the preset, if there is one."""
    if not options.preset or part is A_MESSAGE:
        return part
    return sizes_of(part.experiment, options.preset).of(part)


def _freed(part: Part, options: Options) -> Part:
    """Return a part of a preset, which does not limit what somebody has named."""
    if options.subjects is not None:
        part = dataclasses.replace(part, subjects=part.experiment.subjects)
    if options.subjects or options.placements or options.spreads or options.routes or options.tls:
        part = dataclasses.replace(part, placements=part.experiment.placements)
    return part


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
            for way in ways_of(subject, layout, part, options):
                yield from _directory(part, options, subject, layout, way)
        return
    points = product(options.payloads or part.payloads, options.pairs or part.loads, layouts, playing)
    for payload, load, layout, subject in points:
        for way in ways_of(subject, layout, part, options):
            point = Point(layout.placement, way, load, payload)
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
    part: Part, options: Options, subject: Subject, layout: Layout, way: Way
) -> Iterator[Configuration]:
    """Give the sizes of an experiment with the directory, where one agent uses it."""
    frame = Configuration(
        experiment=part.experiment.name,
        platform=subject.platform,
        kind=subject.kind,
        placement=layout.placement,
        hosts=layout.hosts,
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
        route=point.way.route,
        tls=point.way.tls,
        pairs=point.load,
        senders=point.load if part.experiment is MANY_TO_ONE else 0,
        payload_bytes=point.payload,
        warm_up=rounds[0],
        measured=rounds[1],
        cool_down=rounds[2],
    )


def _rounds(part: Part, options: Options, subject: Subject, point: Point) -> Rounds:
    """Return how many round trips of a pair a preset has, else a selection, else the experiment."""
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
