"""How traffic is planned: how many agents, which receivers, in how many containers, on how many cores."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.runner.planning.cores import cores_of, few_cores_of, is_short
from formicary_bench.runner.planning.hosts import frame, layouts_of
from formicary_bench.vocabulary.names import TRAFFIC_RECEPTION, TRAFFIC_SPEED_UP
from formicary_bench.vocabulary.presets import QUICK
from formicary_bench.vocabulary.routes import Carrier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part, Rounds
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

RING = 0
"""The number of receivers where there is a ring instead."""

_TRIPS, _QUICK_TRIPS, _FEWEST = 60_000, 6_000, 40  # measured, of all agents together; of each
_MANY = 256  # senders, where the paper varies receivers


def plan_traffic(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give all that is measured of an experiment of the family.

    Raises:
        UsageError: there are fewer cores than asked for, or a ring of one agent, or no receivers for any
            number of senders.
    """
    points = product(
        _cores(part, options),
        _patterns(part, options),
        options.payloads or part.payloads,
        layouts_of(part, options),
        subjects,
    )
    for cores, (agents, receivers), payload, layout, subject in points:
        for containers in _containers(part, options, subject, cores):
            warm_up, measured, cool_down = options.rounds or part.rounds or _rounds(part, agents, options)
            yield replace(
                frame(part, subject, layout, Carrier("in-process")),
                pairs=agents,
                echoes=receivers,
                payload_bytes=payload,
                containers=containers,
                cores=cores,
                warm_up=warm_up,
                measured=measured,
                cool_down=cool_down,
            )


def _cores(part: Part, options: Options) -> tuple[int, ...]:
    """Return the numbers of cores; in a short run one besides all of them only where it is about that."""
    if is_short(part, options):
        return few_cores_of(options, with_one=_is_speed_up(part))
    return cores_of(options)


def _containers(part: Part, options: Options, subject: Subject, cores: int) -> Sequence[int]:
    """Return how many containers there are: one of who knows of none; one for each core where these vary."""
    if subject.platform != "formicary":
        return (1,)
    if _is_speed_up(part) and not options.containers:
        return (max(cores, 1),)
    return options.containers or part.containers or part.experiment.containers


def _patterns(part: Part, options: Options) -> list[tuple[int, int]]:
    """Return the numbers of agents, or senders, each with that of receivers.

    Raises:
        UsageError: there is nothing of what was asked for.
    """
    name, many = part.experiment.name, options.pairs or part.pairs or part.experiment.pairs
    if options.receivers and (name == TRAFFIC_RECEPTION or _is_speed_up(part)):
        return _received(many, options.receivers)
    one, all_ = [(agents, 1) for agents in many], [(agents, agents) for agents in many]
    if name == TRAFFIC_RECEPTION:
        if options.preset == QUICK:
            return one
        some = [(_MANY, 2**power) for power in range(1, 9)] if _MANY in many else []
        return list(dict.fromkeys([*one, *all_, *some]))
    if min(many) == 1:
        raise UsageError("a ring has two agents at least: take --pairs 2 or more")
    ring = [(agents, RING) for agents in many]
    return [*ring, *one, *all_] if _is_speed_up(part) and options.preset != QUICK else ring


def _received(many: Sequence[int], receivers: Sequence[int]) -> list[tuple[int, int]]:
    found = [(agents, some) for agents in many for some in receivers if some <= agents]
    if not found:
        raise UsageError(
            f"each receiver has a sender at least: take --receivers {max(many)} at most, or more --pairs"
        )
    return found


def _rounds(part: Part, agents: int, options: Options) -> Rounds:
    """Return as many round trips as last a while; the last phase is long, as containers are not even."""
    measured = max((_QUICK_TRIPS if is_short(part, options) else _TRIPS) // agents, _FEWEST)
    return measured // 2, measured, measured


def _is_speed_up(part: Part) -> bool:
    return part.experiment.name == TRAFFIC_SPEED_UP
