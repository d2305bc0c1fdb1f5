"""Roughly how long a repetition takes on some machine, before anything is known of this one. Pure.

Only the proportions matter for long: what is measured corrects them (see `forecast`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.platforms.catalogue import REPLICA, SAME
from formicary_bench.results.model import DIRECTORY, GROWTH, MEMORY, NETWORK

if TYPE_CHECKING:
    from formicary_bench.results.model import Configuration

# Seconds to start the processes, to have them meet, and to end them.
_ALONE, _APART = 0.6, 1.2
_MORE = {MEMORY: 0.6, NETWORK: 0.8}  # with looking at the memory, or at the network
_PROFILED = 1.0  # with a profiler
_LOGIN = 0.06  # of one agent with an account of its own

# Round trips per second: of one pair, and of many together.
_RATES = {
    "in-process": (200_000, 300_000),
    "direct": (9_000, 130_000),
    "auto": (9_000, 130_000),
    "xmpp": (4_000, 70_000),
    "tcp": (12_000, 90_000),
}
_SLOW = {"components": (4_000, 12_000), "spade": (1_200, 3_000)}
_BYTES = 20e6  # that are copied per second and direction, with all that they go through
_CREATED = {"create": 40_000, MEMORY: 25_000, DIRECTORY: 8_000}  # agents per second
_REGISTERED = 30_000  # services per second
_USES = {"in-process": 30_000, "direct": 4_000, "auto": 4_000, "xmpp": 1_500}  # of the directory per second
_WATCHED = 1.0  # seconds beside growth


def rough_seconds(one: Configuration) -> float:
    """Return how long a repetition of a configuration may take."""
    begin = (_ALONE if one.placement == SAME else _APART) + _MORE.get(one.family, 0.0)
    begin += _PROFILED if one.profiled else 0.0
    if one.experiment == GROWTH:
        return begin + one.seconds + _WATCHED
    if one.agents:
        return begin + one.agents / _CREATED.get(one.family, _CREATED[DIRECTORY])
    uses = one.warm_up + one.measured + one.cool_down
    if one.family == DIRECTORY:
        # A replica is in the process of its user, wherever it is used.
        route = "in-process" if one.kind == REPLICA else one.route
        return begin + one.services / _REGISTERED + uses / _USES.get(route, _USES["xmpp"])
    if one.platform == "spade":
        begin += 2 * one.load * _LOGIN
    return begin + uses * _seconds_of_all(one)


def _seconds_of_all(one: Configuration) -> float:
    """Return how long it takes until every pair has made one round trip."""
    alone, together = _SLOW.get(one.platform) or _RATES.get(one.route, _RATES["xmpp"])
    copied = 0.0 if one.placement == SAME else 2 * one.payload_bytes * one.load / _BYTES
    return max(1 / alone, one.load / together) + copied
