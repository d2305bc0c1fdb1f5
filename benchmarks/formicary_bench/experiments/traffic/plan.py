"""How traffic is planned: which receivers, in how many containers, on how many cores; how long it takes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.traffic import Traffic
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.runner.planning.drafts import values_of
from formicary_bench.runner.planning.hosts import cores_of, few_cores_of, is_short
from formicary_bench.vocabulary.names import QUICK, TRAFFIC_RECEPTION, TRAFFIC_SPEED_UP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters.shared import Rounds

RING = 0
"""The number of receivers where there is a ring instead."""

_TRIPS, _QUICK_TRIPS, _FEWEST = 60_000, 6_000, 40  # measured, of all agents together; of each
_MANY = 256  # senders, where the paper varies receivers
_CONTAINER_S = 0.3  # each in a process of its own; all begin half a second after they are told
_ROUND_TRIPS = {"tasks": 150_000}  # per second
_ROUND_TRIPS_OURS = 20_000  # of agents in one container or several


def patterns(draft: Draft) -> Iterator[Draft]:
    """Give an experiment's patterns of receivers, on all numbers of cores.

    Raises:
        UsageError: there are fewer cores than asked for, or a ring of one agent, or fewer senders than
            receivers.
    """
    rounds = draft.asked_rounds or _rounds(draft)
    for cores, receivers in product(_cores(draft), _receivers(draft)):
        for containers in _containers(draft, cores):
            yield draft.sized(echoes=receivers, containers=containers, cores=cores, rounds=rounds)


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long a repetition takes."""
    sizes = Traffic.of(one)
    rate = _ROUND_TRIPS.get(one.platform, _ROUND_TRIPS_OURS)
    return DefaultDuration(begin + _CONTAINER_S * sizes.containers, sizes.trips * sizes.load / rate)


def _cores(draft: Draft) -> tuple[int, ...]:
    """Return the numbers of cores; in a short run one besides all of them only where it is about that."""
    if is_short(draft.part, draft.options):
        return few_cores_of(draft.options, with_one=_is_speed_up(draft))
    return cores_of(draft.options)


def _containers(draft: Draft, cores: int) -> tuple[int, ...]:
    """Return how many containers there are: one of who knows of none; one for each core where these vary.

    Of the numbers that a draft may have, each is the draft's own once.
    """
    if draft.subject.platform != "formicary":
        return (1,)
    if _is_speed_up(draft) and not draft.options.sizes.get("containers"):
        return (max(cores, 1),)
    return (draft.sizes["containers"],)


def _receivers(draft: Draft) -> list[int]:
    """Return the numbers of receivers that so many agents, or senders, have.

    Raises:
        UsageError: there is nothing of what was asked for.
    """
    name, agents, options = draft.experiment.name, draft.sizes["pairs"], draft.options
    if asked := options.sizes.get("echoes"):
        return _received(draft, asked)
    if name == TRAFFIC_RECEPTION:
        if options.preset == QUICK:
            return [1]
        some = [2**power for power in range(1, 9)] if agents == _MANY else []
        return list(dict.fromkeys([1, agents, *some]))
    if agents == 1:
        raise UsageError("a ring needs at least two agents: use --pairs 2 or more")
    return [RING, 1, agents] if _is_speed_up(draft) and options.preset != QUICK else [RING]


def _received(draft: Draft, asked: tuple[int, ...]) -> list[int]:
    """Return the number that was asked for of which this draft is, if there are as many senders."""
    most = max(values_of("pairs", draft.part, draft.options))
    if min(asked) > most:
        raise UsageError(f"each receiver needs a sender: use --receivers {most} or less, or more --pairs")
    return [one for one in [draft.sizes["echoes"]] if one <= draft.sizes["pairs"]]


def _rounds(draft: Draft) -> Rounds:
    """Return as many round trips as last a while; the last phase is long, as containers are not even."""
    trips = _QUICK_TRIPS if is_short(draft.part, draft.options) else _TRIPS
    measured = max(trips // draft.sizes["pairs"], _FEWEST)
    return measured // 2, measured, measured


def _is_speed_up(draft: Draft) -> bool:
    return draft.experiment.name == TRAFFIC_SPEED_UP
