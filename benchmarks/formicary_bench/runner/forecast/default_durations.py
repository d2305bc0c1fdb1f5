"""Roughly how long a repetition takes on some machine, before anything is known of this one. Pure.

Only the proportions matter for long: what is measured corrects them (see `forecast`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.subjects.registry import SUBJECTS, has_driver
from formicary_bench.vocabulary.designs import REPLICA
from formicary_bench.vocabulary.loops import AT_ONCE, laps, smallest_of
from formicary_bench.vocabulary.names import (
    BARE_MESSAGES,
    COMPUTE,
    DIRECTORY,
    GROWTH,
    MEMORY,
    NETWORK,
    PROTOCOLS,
    TRAFFIC,
    WAKE,
)
from formicary_bench.vocabulary.placements import SAME

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration

# Seconds to start the processes, to have them meet, and to end them.
_ALONE, _APART = 0.4, 1.1
_CONTAINER = 0.3  # each in a process of its own; all begin half a second after they are told
_MORE = {MEMORY: 0.6, NETWORK: 0.8}  # with looking at the memory, or at the network
_PROFILED = 1.0  # with a profiler
# With accounts: to make them and to be heard of by each other, and to log in each agent.
_ACCOUNTED, _LOGIN = 5.0, 0.06
_WARMING = 6.0  # a platform with a driver makes rounds until it is warm

# Round trips per second: of one pair, and of many together.
_RATES = {
    "in-process": (200_000, 300_000),
    "direct": (6_000, 100_000),
    "auto": (6_000, 100_000),
    "xmpp": (3_000, 60_000),
    "tcp": (12_000, 110_000),
}
_SLOW = {
    "design": (200_000, 120_000),
    "components": (4_000, 12_000),
    "spade": (700, 1_500),
}
# Bytes that are copied per second, with all that they go through.
_BYTES = {"direct": 4e8, "auto": 4e8, "tcp": 1e9, "xmpp": 15e6}
_CREATED = {"create": 40_000, MEMORY: 25_000, DIRECTORY: 8_000, PROTOCOLS: 15_000}  # agents per second
_REGISTERED = 30_000  # services per second
_USES = {"in-process": 30_000, "direct": 4_000, "auto": 4_000, "xmpp": 1_500}  # of the directory per second
# Seconds of a visit to a shop, and of each of its requests.
_VISIT, _REQUEST = 0.002, 0.0003
# Operations of loops per second, in turn; those at once are more.
_LOOPED = {"in-process": 40_000, "direct": 2_000, "auto": 2_000, "xmpp": 800, "tcp": 4_000, "own": 200}
_SLEPT = 4_000  # agents that are made, fall asleep, wake and end, per second
_COMPUTATION = 0.05  # seconds of one in `compute/...`
_TRAFFIC = {"tasks": 150_000}  # round trips per second
_TRAFFIC_OURS = 20_000  # of agents in one container or several
# With one partner each, per second, of agents that converse and of those that exchange bare messages.
_CONVERSATIONS = {"in-process": (20_000, 120_000)}
_CONVERSATIONS_APART = 8_000, 30_000
_AT_ONCE = 3
# Requests to swap per second.
_REQUESTED, _REQUESTED_OURS, _REQUESTED_APART = {"callbacks": 1_500_000}, 350_000, 60_000
_ROUNDS = 100_000  # of a service with a coordinator per second
_WATCHED = 1.0  # seconds beside growth
# Rates that a search for the highest one tries, and the seconds of each load.
_TRIALS, _TRIAL = 10, 0.8

_ACCOUNTS = {"spade", *(subject.platform for subject in SUBJECTS if subject.accounts)}


class DefaultDuration(NamedTuple):
    """How long a repetition may take, in seconds.

    Attributes:
        begin: to begin and to end.
        work: what lies between.
    """

    begin: float
    work: float


def default_duration(one: Configuration) -> DefaultDuration:
    """Return how long a repetition of a configuration may take."""
    begin = (_ALONE if one.placement == SAME else _APART) + _MORE.get(one.family, 0.0)
    begin += _CONTAINER * one.containers if one.family == TRAFFIC else 0.0
    begin += _PROFILED if one.profiled else 0.0
    if one.limit_us:
        return DefaultDuration(_TRIALS * begin, _TRIALS * _TRIAL)
    if one.platform in _ACCOUNTS:
        begin += _ACCOUNTED + 2 * one.load * _LOGIN
    if has_driver(one):
        begin += _WARMING
    return DefaultDuration(begin, _work(one))


def _work(one: Configuration) -> float:
    uses = one.warm_up + one.measured + one.cool_down
    if one.experiment == GROWTH:
        return one.seconds + _WATCHED
    if one.dimension or one.loop:
        return _swapped(one) if one.dimension else _looped(one)
    if one.requests:
        return uses * one.load * (_VISIT + one.requests * _REQUEST) if one.mix else one.requests / _ROUNDS
    if one.rate or one.agents:
        created = _CREATED.get(one.family, _CREATED[DIRECTORY])
        return one.agents / created if one.agents else uses * one.load / one.rate
    if one.family == DIRECTORY:
        # A replica is in the process of its user, wherever it is used.
        route = "in-process" if one.kind == REPLICA else one.route
        return one.services / _REGISTERED + uses / _USES.get(route, _USES["xmpp"])
    return uses * _seconds_of_all(one)


def _swapped(one: Configuration) -> float:
    cells = one.dimension**2
    requests = cells * one.swaps  # all make nearly as many as the first one, and some are refused
    rate = _REQUESTED_APART if one.containers > 1 else _REQUESTED.get(one.platform, _REQUESTED_OURS)
    return cells / _CREATED[MEMORY] + requests / rate


def _looped(one: Configuration) -> float:
    if one.family == COMPUTE:
        return one.agents * one.loop * _COMPUTATION / min(max(one.cores, 1), one.agents)
    operations = sum(laps(one.loop, smallest_of(one.experiment)))
    if one.experiment == WAKE and one.platform == "formicary":
        return operations / _SLEPT
    return operations / _LOOPED[one.route] / (_AT_ONCE if one.way == AT_ONCE else 1)


def _seconds_of_all(one: Configuration) -> float:
    """Return how long it takes until every pair has made one round trip."""
    if one.family == TRAFFIC:
        return one.load / _TRAFFIC.get(one.platform, _TRAFFIC_OURS)
    if one.family == PROTOCOLS:
        talking, bare = _CONVERSATIONS.get(one.route, _CONVERSATIONS_APART)
        return one.pairs / (bare if one.platform == BARE_MESSAGES else talking)
    alone, together = _SLOW.get(one.platform) or _RATES.get(one.route, _RATES["xmpp"])
    copied = (
        0.0
        if one.placement == SAME
        else 2 * one.payload_bytes * one.load / _BYTES.get(one.route, _BYTES["xmpp"])
    )
    return max(1 / alone, one.load / together) + copied
