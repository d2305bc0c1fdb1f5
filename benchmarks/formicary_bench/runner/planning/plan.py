"""The plan of a run. Pure, except for what is installed."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.messaging import A_MESSAGE
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.results.summary.commands import sizes_of
from formicary_bench.runner.planning import drafts
from formicary_bench.runner.planning.hosts import check_hosts, refuse_idle
from formicary_bench.runner.planning.profiles import with_profiles
from formicary_bench.subjects.drivers.recipes import RECIPES
from formicary_bench.subjects.registry import has_driver, subject_of, subjects
from formicary_bench.vocabulary.places import AUTO, HOSTED, N_HOSTS, SAME, XMPP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment, Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration


def fits(configuration: Configuration) -> bool:
    """Return whether a configuration is within its subject's limits."""
    subject = subject_of(configuration.platform, configuration.kind)
    exchange = configuration.exchange
    few = not subject.most_pairs or exchange.load <= subject.most_pairs
    return few and (not subject.most_bytes or exchange.payload_bytes <= subject.most_bytes)


def beyond(options: Options, plan: Sequence[Configuration]) -> list[str]:
    """Return sentences on what is left out: what the named subjects cannot do.

    For a selection, which names subjects itself, it is those that are not installed.
    """
    if options.subjects is None:
        return [
            f"left out: {name} is not installed; {RECIPES[name].how_to_install}" for name in _absent(options)
        ]
    named = [subject for subject in subjects() if subject.name in options.subjects]
    there = {one.platform for one in plan}
    absent = dict.fromkeys(subject.platform for subject in named if subject.platform not in there)
    sentences = [f"left out: {platform} cannot do {options.experiment} as asked for" for platform in absent]
    experiment = EXPERIMENTS.get(options.experiment)
    for subject in named if experiment else ():
        if subject.exchanges and subject.platform in there:
            assert experiment is not None
            sentences += [
                f"left out: {subject.name} {what}" for what in _limits(subject, experiment, options)
            ]
    return sentences


def _absent(options: Options) -> list[str]:
    """Return the subjects of a selection whose driver is not installed."""
    parts = SELECTIONS[options.experiment].parts if options.experiment in SELECTIONS else ()
    there = {subject.name for subject in subjects()}
    return sorted({name for part in parts for name in part.subjects if name in RECIPES} - there)


def _limits(subject: Subject, experiment: Experiment, options: Options) -> Iterator[str]:
    usual = [placement for placement in experiment.placements if placement not in HOSTED]
    for placement in options.placements or usual:
        if placement not in subject.carriers:
            yield f"cannot be measured with {placement}"
    sizes = {**experiment.sizes, **options.sizes}
    loads = [load for load in sizes.get("pairs", ()) if load > subject.most_pairs > 0]
    if loads:
        yield f"with {_listed(loads)} pairs, as it takes at most {subject.most_pairs}"
    large = [size for size in sizes.get("payload_bytes", ()) if size > subject.most_bytes > 0]
    if large:
        yield f"with {_listed(large)} bytes, as it takes at most {subject.most_bytes}"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def parts_of(options: Options) -> Iterator[Part]:
    """Yield the parts of experiments that a run takes."""
    if options.experiment in SELECTIONS:
        for part in SELECTIONS[options.experiment].parts:
            yield from _sized(part, options)
        return
    one = EXPERIMENTS[options.experiment]
    if one.takes:
        takes = one.takes.load()(options)
    else:
        takes = preset_of(one, options.preset).parts if options.preset else ()
    yield from (_freed(take.of(one), options) for take in takes or (_whole(one),))
    if one.beside:
        yield from one.beside.load()(one, options)


def _whole(one: Experiment) -> Take:
    return Take(subjects=one.subjects, placements=one.placements, carriers=one.carriers)


def _sized(part: Part, options: Options) -> Iterator[Part]:
    """Yield a part of a selection in the sizes of the preset, if there is one.

    Where the selection names no subjects, they and the places are those of the preset, too.
    """
    if not options.preset or part == A_MESSAGE.of(part.experiment):
        yield part
        return
    preset = preset_of(part.experiment, options.preset)
    parts = [take.of(part.experiment) for take in preset.parts if not part.subjects] or [part]
    for one in parts:
        yield dataclasses.replace(_freed(one, options), sizes={**one.sizes, **preset.sizes})


def _freed(part: Part, options: Options) -> Part:
    """Return a part of a preset without its limits on what the user has named."""
    if options.subjects is not None:
        part = dataclasses.replace(part, subjects=())
    if options.subjects or options.placements or options.spreads or options.routes or options.tls:
        part = dataclasses.replace(part, placements=part.experiment.placements)
    return part


_MOST_IN_MEMORY = 2**27  # round trips of one repetition


def make_plan(options: Options) -> list[Configuration]:
    """Return all configurations, in the order of reports.

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
    if not plan or (options.experiment in EXPERIMENTS and plan[0].experiment != options.experiment):
        out = "--platform, --hosts or --placement" if options.hosts else "--platform or --placement"
        raise UsageError(
            f"nothing is left to measure: {', '.join(options.subjects or ['what is installed'])} cannot do "
            f"{options.experiment}{_where(options)}; leave {out} out"
        )
    for one in (configuration.exchange for configuration in plan):
        if one.load * one.trips > _MOST_IN_MEMORY:
            raise UsageError(
                f"{one.load} pairs with {one.trips} round trips each are more than fit in memory; "
                "use smaller --rounds"
            )
    return plan


def _with_warm_up(configuration: Configuration, options: Options) -> Configuration:
    """Set the round trips of the warm-up."""
    _, measured, cool_down = configuration.exchange.rounds
    if not isinstance(options.warm_up, int) or not measured:
        return configuration
    return configuration.sized(rounds=(options.warm_up, measured, cool_down))


def _configurations(part: Part, options: Options) -> Iterator[Configuration]:
    order = [*part.experiment.subjects, *(subject.name for subject in subjects())]
    playing = [subject for subject in subjects() if _takes_part(subject, part, options)]
    yield from drafts.plan(part, options, sorted(playing, key=lambda subject: order.index(subject.name)))


def _takes_part(subject: Subject, part: Part, options: Options) -> bool:
    if options.subjects is not None:
        wanted = subject.name in options.subjects
    else:
        wanted = subject.is_installed() and (not subject.hidden or subject.name in part.subjects)
    return wanted and part.experiment.has(subject) and (not part.subjects or subject.name in part.subjects)


def _where(options: Options) -> str:
    if options.placements:
        return f" with {', '.join(options.placements)}"
    return " over hosts" if options.hosts else ""


def schedule(
    plan: Sequence[Configuration], repeats: Sequence[int], seed: int
) -> list[tuple[Configuration, int, int]]:
    """Return the order of the measurements: configuration, number of the repetition, seed.

    Each round has all configurations in a new random order, so that changes of the machine affect all alike.
    """
    generator = random.Random(seed)
    order = []
    for number in range(1, max(repeats, default=0) + 1):
        members = [one for one, many in zip(plan, repeats, strict=True) if number <= many]
        generator.shuffle(members)
        order += [(configuration, number, generator.getrandbits(32)) for configuration in members]
    return order


def describe(configuration: Configuration) -> str:
    """Return a configuration in words."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    said = [configuration.experiment, f"{configuration.platform}{kind}"]
    said += [] if configuration.route == "none" else [_place(configuration)]
    said += sizes_of(configuration)
    said += ["profiled"] if configuration.profiled else []
    said += ["beside it not profiled"] if configuration.reference else []
    return ", ".join(said)


def _place(configuration: Configuration) -> str:
    if configuration.placement == SAME:
        return configuration.placement
    many = [f"{configuration.hosts} hosts"] if configuration.placement == N_HOSTS else []
    traffic = [configuration.traffic] if configuration.traffic else []
    return f"{configuration.placement} ({', '.join([*many, *traffic, way_of(configuration)])})"


def way_of(configuration: Configuration) -> str:
    """Return the route of a configuration's messages, in words."""
    return f"{configuration.route} with TLS" if configuration.tls else configuration.route


def needs_server(configuration: Configuration) -> bool:
    """Return whether an XMPP server takes part."""
    # Agents with accounts log in even if their messages stay in one process.
    if configuration.route in {XMPP, AUTO} or not has_driver(configuration):
        return configuration.route in {XMPP, AUTO}
    return subject_of(configuration.platform, configuration.kind).accounts
