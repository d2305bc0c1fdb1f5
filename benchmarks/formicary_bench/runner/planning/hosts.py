"""Where the agents of a plan are: on this machine or on hosts, on how many, and who talks to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary.errors import UsageError
from formicary_bench.runner.planning.options import places_of
from formicary_bench.vocabulary.placements import APART, HOSTED, N_HOSTS, SAME, TWO_HOSTS
from formicary_bench.vocabulary.traffic import AWAY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.options import Options

_TWO = 2


class Layout(NamedTuple):
    """What of a configuration is about hosts, as there.

    Attributes:
        placement: where the agents are.
        hosts: how many hosts take part.
        traffic: who talks to whom.
        spread: where the services are.
    """

    placement: str
    hosts: int = 0
    traffic: str = ""
    spread: str = AWAY


def placements_of(part: Part, options: Options) -> list[str]:
    """Return the placements at which a part of a run is measured, in order.

    What is not named is on this machine where there are no hosts; over hosts it is where the preset has it,
    or else what is in two processes here is on two hosts there.
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
    """Give all places and kinds of traffic of a part of a run."""
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
    """Refuse placements, numbers of hosts and spreads that there cannot be.

    Raises:
        UsageError: with what to do instead.
    """
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
            f"{TWO_HOSTS} needs two hosts that containers may be on, and there is {there}; add one to the "
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
            f"--count {most} is more than the {there} hosts that containers may be on; take fewer, or add "
            "hosts to the hosts' file"
        )


def _possible(part: Part) -> list[str]:
    """Return where a part can be measured: what is apart on one machine can be so on two."""
    can = dict.fromkeys([*part.placements, *([TWO_HOSTS] if APART in part.placements else [])])
    return [placement for placement in can if placement in part.experiment.placements]


def _many(part: Part, options: Options) -> Iterator[Layout]:
    experiment, there = part.experiment, len(options.hosts)
    every = range(1, there + 1) if "count" in experiment.options else (there,)
    traffics = (options.traffics or experiment.traffics) if experiment.traffics else ("",)
    for hosts in options.counts or every:
        # Those of one host have nobody else to talk to.
        for traffic in traffics if hosts > 1 else ("",):
            yield Layout(N_HOSTS, hosts, traffic)
