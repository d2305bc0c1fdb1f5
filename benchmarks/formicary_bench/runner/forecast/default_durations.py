"""Default durations of repetitions, before anything is known of this machine. Pure.

Proportions matter most: measurements correct the rest (see `forecast`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.subjects.registry import SUBJECTS, has_driver
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import SAME

if TYPE_CHECKING:
    from formicary_bench.vocabulary.configuration import Configuration

# Seconds to start the processes, to have them meet, and to end them.
_ALONE, _APART = 0.1, 0.2
_PROFILED = 1.0  # with a profiler
# With accounts: to make them and to be heard of by each other, and to log in each agent.
_ACCOUNTED, _LOGIN = 5.0, 0.06
_WARMING = 6.0  # a platform with a driver makes rounds until it is warm

# Round trips per second: of one pair, and of many together.
_RATES = {
    "in-process": (600_000, 600_000),
    "direct": (20_000, 350_000),
    "auto": (20_000, 350_000),
    "xmpp": (5_500, 250_000),
    "tcp": (60_000, 200_000),
    "unix": (70_000, 220_000),
    "memory": (200_000, 200_000),
}
_SLOW = {
    "callbacks": (4_000_000, 3_000_000),
    "design": (200_000, 120_000),
    "components": (8_500, 40_000),
    "spade": (700, 1_500),
}
# Bytes that are copied per second, with all that they go through.
_BYTES = {"direct": 4e8, "auto": 4e8, "tcp": 1e9, "xmpp": 15e6}

_ACCOUNTS = {"spade", *(subject.platform for subject in SUBJECTS if subject.accounts)}


class DefaultDuration(NamedTuple):
    """How long a repetition may take, in seconds.

    Attributes:
        begin: to begin and to end.
        work: for the work in between.
    """

    begin: float
    work: float


def default_duration(one: Configuration) -> DefaultDuration:
    begin = _ALONE if one.placement == SAME else _APART
    begin += _PROFILED if one.profiled else 0.0
    if one.platform in _ACCOUNTS:
        begin += _ACCOUNTED + 2 * one.exchange.load * _LOGIN
    if has_driver(one):
        begin += _WARMING
    known = EXPERIMENTS.get(one.experiment)
    duration = known.duration.load() if known else of_exchange
    found: DefaultDuration = duration(one, begin)
    return found


def of_exchange(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long it takes to exchange messages.

    Args:
        one: the configuration.
        begin: seconds to begin and to end.
    """
    return DefaultDuration(begin, one.exchange.trips * _seconds_of_all(one))


def of_agents(one: Configuration, begin: float, created: float) -> DefaultDuration:
    """Return how long it takes to create agents at a rate; other arguments as of `of_exchange`."""
    return DefaultDuration(begin, Agents.of(one).agents / created)


def _seconds_of_all(one: Configuration) -> float:
    """Return how long it takes until every pair has made one round trip."""
    exchange = one.exchange
    alone, together = _SLOW.get(one.platform) or _RATES.get(one.route, _RATES["xmpp"])
    copied = 0.0
    if one.placement != SAME:
        copied = 2 * exchange.payload_bytes * exchange.load / _BYTES.get(one.route, _BYTES["xmpp"])
    return max(1 / alone, exchange.load / together) + copied
