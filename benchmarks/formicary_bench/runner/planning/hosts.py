"""Placements, hosts, cores and routes of a plan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from formicary.errors import UsageError
from formicary_bench.runner.planning.options import places_of
from formicary_bench.subjects.registry import SUBJECTS
from formicary_bench.subjects.subject import is_usual
from formicary_bench.vocabulary.names import QUICK
from formicary_bench.vocabulary.places import (
    APART,
    AWAY,
    HOSTED,
    MEMORY,
    N_HOSTS,
    NO_MESSAGES,
    PLATFORM_CORES,
    ROUTES,
    SAME,
    TCP,
    TWO_HOSTS,
    UNIX,
    XMPP,
    powers_of_two,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.places import Carrier


_TWO = 2


class Layout(NamedTuple):
    """The fields of a configuration that are about hosts."""

    placement: str
    hosts: int = 0
    traffic: str = ""
    spread: str = AWAY


def placements_of(part: Part, options: Options) -> list[str]:
    """Return the placements of a part of a run, in order.

    By default they are on this machine if there are no hosts; over hosts, those of the preset, or two hosts
    in place of two processes.
    """
    can = _possible(part)
    if options.placements is not None:
        return [placement for placement in can if placement in options.placements]
    if not options.hosts:
        return [placement for placement in can if placement not in HOSTED]
    if places := places_of(options, part.experiment):
        return [placement for placement in can if placement in places]
    return [placement for placement in can if placement == TWO_HOSTS] or [
        placement for placement in can if placement == N_HOSTS
    ]


def layouts_of(part: Part, options: Options) -> Iterator[Layout]:
    experiment = part.experiment
    for placement in placements_of(part, options):
        if placement == N_HOSTS:
            yield from _many(part, options)
        elif placement == SAME:
            yield Layout(placement)
        else:
            usual = experiment.spreads if placement == TWO_HOSTS else (AWAY,)
            for spread in options.spreads or usual if experiment.spreads else (AWAY,):
                yield Layout(placement, _TWO if placement == TWO_HOSTS else 0, spread=spread)


def check_hosts(options: Options, parts: Sequence[Part]) -> None:
    """Raise a UsageError for impossible placements, numbers of hosts and spreads."""
    has = {placement for part in parts for placement in _possible(part)}
    for placement in options.placements or ():
        if placement not in has:
            raise UsageError(
                f"{options.experiment} has no placement {placement}; it has {', '.join(sorted(has))}: "
                "leave --placement out"
            )
    there = len(options.hosts)
    wanted = {placement for part in parts for placement in placements_of(part, options)}
    needed = [placement for placement in options.placements or has if placement in HOSTED]
    if needed and not there and (options.placements or not wanted):
        raise UsageError(
            f"{needed[0]} needs hosts: name them with --hosts FILE, or make some of this machine with: "
            "formicary hosts lab up"
        )
    if TWO_HOSTS in wanted and there < _TWO:
        raise UsageError(
            f"{TWO_HOSTS} needs two hosts with the role containers, and there is {there}; add one to the "
            "hosts' file, or choose others with --on"
        )
    if most := max(options.counts or (), default=0):
        _check_counts(most, there, wanted)
    if options.traffics and (N_HOSTS not in wanted or max(options.counts or (there,)) == 1):
        raise UsageError(
            f"--traffic is for agents of several hosts, with --placement {N_HOSTS} and --hosts FILE; leave "
            "--traffic out"
        )
    if any(options.spreads or ()) and not wanted & {APART, TWO_HOSTS}:
        raise UsageError(
            f"services are spread over two containers, with --placement {APART} or {TWO_HOSTS}; leave "
            "--spread out"
        )


def _check_counts(most: int, there: int, wanted: set[str]) -> None:
    if N_HOSTS not in wanted:
        raise UsageError(f"--count is for --placement {N_HOSTS}; leave it out")
    if most > there:
        raise UsageError(
            f"--count {most} is more than the {there} hosts with the role containers; use fewer, or add "
            "hosts to the hosts' file"
        )


def _possible(part: Part) -> list[str]:
    """Return the possible placements of a part: what is apart on one machine can be on two."""
    can = dict.fromkeys([*part.placements, *([TWO_HOSTS] if APART in part.placements else [])])
    return [placement for placement in can if placement in part.experiment.placements]


def _many(part: Part, options: Options) -> Iterator[Layout]:
    experiment, there = part.experiment, len(options.hosts)
    every = range(1, there + 1) if "count" in experiment.options else (there,)
    traffics = (options.traffics or experiment.traffics) if experiment.traffics else ("",)
    for hosts in options.counts or every:
        # On one host, agents have no other host to talk to.
        for traffic in traffics if hosts > 1 else ("",):
            yield Layout(N_HOSTS, hosts, traffic)


_FOR_ALL = {TCP, UNIX, MEMORY}  # baselines of all routes


def carriers_of(subject: Subject, layout: Layout, part: Part, options: Options) -> list[Carrier]:
    """Return the carriers of a platform's messages at a place."""
    placement = layout.placement
    if part.experiment.carriers == (NO_MESSAGES,):
        return [NO_MESSAGES]
    if layout.hosts == 1:
        return [carrier for carrier in subject.carriers.get(SAME, ()) if placement in subject.carriers]
    can = subject.carriers.get(placement, ())
    usual = _usual(subject, placement, part)
    asked = options.tls or part.experiment.tls
    if placement == SAME or (options.routes is None and not asked):
        return usual
    # Options that are not given keep their usual values.
    tls = asked or {carrier.tls for carrier in usual}
    fitting = [carrier for carrier in can if carrier.tls in tls]
    if placement in HOSTED and not asked:
        fitting = [carrier for carrier in can if is_usual(carrier, placement)]
    if placement in HOSTED and part.experiment.tls and options.routes is None:
        fitting = [
            carrier for carrier in fitting if carrier.route != XMPP
        ]  # two servers encrypt between them anyway
    if subject.has_choice(placement):
        routes = options.routes or {carrier.route for carrier in usual}
        return [carrier for carrier in fitting if carrier.route in routes]
    if subject.name in (options.subjects or ()):
        return fitting or usual  # requested by name, though it has no choice
    routes = {*(options.routes or ROUTES), *_FOR_ALL}
    return [carrier for carrier in fitting if carrier.route in routes]


def _usual(subject: Subject, placement: str, part: Part) -> list[Carrier]:
    """Return a part's usual carriers; between hosts with TLS or not, as usual there."""
    usual = list(subject.usual_carriers(placement))
    if placement in HOSTED:
        routes = {carrier.route for carrier in part.carriers}
        return [carrier for carrier in usual if carrier.route in routes] or usual
    return [carrier for carrier in subject.carriers.get(placement, ()) if carrier in part.carriers] or usual


def refuse_idle(options: Options, plan: Sequence[Configuration]) -> None:
    """Raise a UsageError for a route or TLS that nothing would use."""
    chosen = [subject for subject in SUBJECTS if subject.has_choice(APART)]
    ours = {(subject.platform, subject.kind) for subject in chosen}
    taken = {one.route for one in plan if (one.platform, one.kind) in ours and one.placement != SAME}
    for route in options.routes or ():
        if route not in taken:
            names = ", ".join(subject.name for subject in chosen if not subject.hidden)
            raise UsageError(
                f"nothing measured here can use --route {route}: routes are for {names} with "
                f"--placement {APART}; leave --route out"
            )
    if True in (options.tls or ()) and not any(one.tls for one in plan):
        raise UsageError(
            f"no platform measured here supports TLS: links, tcp and components do, with --placement "
            f"{APART}; leave --tls out"
        )


def cores_of(options: Options) -> tuple[int, ...]:
    """Return the numbers of cores to measure with: by default 1, 2, 4 and so on, up to all.

    Raises:
        UsageError: there are fewer, or this system cannot restrict processes to cores.
    """
    cores: tuple[int, ...] | None = options.sizes.get("cores")
    if not hasattr(os, "sched_setaffinity"):
        if cores:
            raise UsageError(PLATFORM_CORES)
        return (0,)
    there = len(os.sched_getaffinity(0))
    if cores is None:
        return powers_of_two(there)
    most = max(cores)
    if most > there:
        word = "core" if there == 1 else "cores"
        raise UsageError(
            f"--cores {most} is more than the {there} {word} that this machine lets its processes use; "
            f"use at most {there}"
        )
    return cores


def few_cores_of(options: Options, *, with_one: bool = False) -> tuple[int, ...]:
    """Return the numbers of cores of a short run: by default all, and one if that matters."""
    found = cores_of(options)
    if options.sizes.get("cores"):
        return found
    return tuple(dict.fromkeys((found[0], found[-1]))) if with_one else found[-1:]


def is_short(part: Part, options: Options) -> bool:
    """Return whether a run is short, as selections of several experiments are."""
    return options.preset == QUICK or options.experiment != part.experiment.name
