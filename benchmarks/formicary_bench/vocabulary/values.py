"""Values of parameters and names of counters that experiments share with their players.

Senders take turns, so that together they have the requested rate. With `constant` arrivals messages are due
at equal intervals; with `poisson` arrivals the intervals are those of a Poisson process, whose messages
cluster like those of many independent people.

The paper makes loops of 1 to 1000 operations and takes the total time of each. It calls the highest rate of
any loop the peak rate, and the rate of a long experiment the sustained rate.
"""

from __future__ import annotations

import random
from array import array
from itertools import accumulate

CPU_GROUP = "agents"


ARRIVALS = CONSTANT, POISSON = "constant", "poisson"
"""How messages of an open loop follow each other."""

HEAD = 8
"""Bytes at the start of a body with the message's number: the smallest payload of an open loop."""

LOST = -1
"""The time of a message that was never answered."""

LATE, LATEST_US = "late sends", "latest send us"
"""Counters: the measured messages sent late, and the delay of the latest one."""

_SECOND = 1e9


def schedule(arrivals: str, rate: int, count: int, seed: int) -> array[int]:
    """Return the times at which messages are due, in nanoseconds from the start, in order.

    Args:
        arrivals: one of `ARRIVALS`.
        rate: messages per second of all senders together.
        count: the number of messages.
        seed: of the random times; equal seeds give equal schedules.
    """
    if arrivals == CONSTANT:
        return array("q", (round(number * _SECOND / rate) for number in range(count)))
    generator = random.Random(seed)
    gaps = (generator.expovariate(rate) * _SECOND for _ in range(count))
    return array("q", map(round, accumulate(gaps)))


CPU_SECONDS = "CPU seconds computed"
"""The counter: the CPU time of all computations together."""


NET, REQUESTS = "net", "requests"
"""Calls for proposals to many bidders, or requests, each awaited in a task of its own."""


DESIGNS = REPLICA, CENTRAL, LOOKUP = "replica", "central", "lookup"
"""The designs of the directory, as in `Services(directory=...)`."""

DELIVERIES = HAND_OVER, POOL, BUFFER, CHAIN, COPIED, ENCODED = (
    *("hand-over", "pool", "buffer", "chain"),
    *("copied", "encoded"),
)
"""The designs of delivery within a container; see `formicary_bench.subjects.variants.delivery`."""

IMPORTED, CONTAINER = "imported", "container"
"""What a process may hold without agents: the platform's modules, or an open container as well."""


MOST_DIMENSION = 1000
"""The most cells of a side."""

MICRO_COPIED = "micro-copied"
"""The kind of micro-agents that get copies of messages."""

HELD_BYTES = "held_bytes"
"""A counter: the memory of all agents' processes at the end."""


def active_of(dimension: int) -> int:
    """Return the number of agents of a grid that ask at the start: a tenth."""
    return max(dimension * dimension // 10, 1)


WAYS = IN_TURN, AT_ONCE = "in-turn", "at-once"
"""The order of a loop's operations: each after the previous one has ended, or all together."""

MOST_LOOP = 1_000_000
"""The most operations of a loop."""

SUSTAINED_LAPS = 5
"""The number of final repetitions of the largest loop, for the sustained rate."""

PATTERNS = UNMEDIATED, BY_AGENT, INTERCEPTED, BY_PROXY = (
    *("client-server", "client-agent-server"),
    *("client-intercept-server", "proxy-server"),
)
"""The agents between clients and servers: none; one for each client, beside the servers; another one beside
the client as well; or one for all."""

MEETINGS = LOCAL, REMOTE = "local", "remote"
"""Where two agents talk: at a place to which both move, or from where they are."""

_STEPS = 1, 2, 5
_OFTEN, _ENOUGH = 10, 200  # the most laps of a size, and the operations that are enough in total
_PLACES = 4
_LEAST = {"mobile/roam": _PLACES}  # an agent that visits four places is back after four hops


def sizes(most: int, least: int = 1) -> tuple[int, ...]:
    """Return the sizes of loops up to the largest: the smallest times 1, 2, 5, 10, 20, 50 and so on."""
    found = []
    power = least
    while power <= most:
        found += [power * step for step in _STEPS if power * step < most]
        power *= 10
    return (*found, most)


def laps(most: int, least: int = 1) -> tuple[int, ...]:
    """Return the sizes of all loops in the order in which they run.

    Small loops run more often, as chance weighs more in them. The largest one is repeated at the end.
    """
    each = [size for size in sizes(most, least) for _ in range(_times(size // least))]
    return (*each, *[most] * SUSTAINED_LAPS)


def smallest_of(experiment: str) -> int:
    """Return the number of operations in the smallest loop of an experiment."""
    return _LEAST.get(experiment, 1)


def _times(operations: int) -> int:
    return min(max(_ENOUGH // operations, 1), _OFTEN)


SYNCHRONOUS = "synchronous"
"""The kind of our agents in cycles: all behaviours do one cycle before any does its next."""


MIXES = BROWSING, SHOPPING, ORDERING = "browsing", "shopping", "ordering"
"""The mixes of requests in TPC-W, in which 5%, 20% or 50% are about orders."""

DATABASES = SQLITE, POSTGRESQL = "sqlite", "postgresql"
"""The databases of a shop: a file, or a server."""

SHOP_WAYS = TRAVELS, FETCHES = "travels", "fetches"
"""How an agent gets the data: it travels there and back, or fetches it by messages."""

PAGE_BYTES, ORDERS_MADE = "page bytes of a visit", "orders of a visit"
"""Counters of visits."""


WAKES = BY_TIME, BY_MESSAGE = "by-time", "by-message"
"""What wakes agents: a timer at the same time for all, or a message to each."""

AWAKE, ASLEEP, IN_FILE = "awake_bytes", "asleep_bytes", "in_file_bytes"
"""Counters: the traced memory of an agent awake and asleep, and its bytes in the file."""


STYLES = TUNED, SHORT_NAMES, TIME_OUTS, TWO_BEHAVIOURS, SIX_BEHAVIOURS = (
    *("tuned", "short-names", "time-outs"),
    *("two-behaviours", "six-behaviours"),
)
"""Agents with behaviours. A tuned one has full names, no template, no timeout and `__slots__`; the next two
have one thing of the usual agents each, and the last two have more behaviours than those."""

MICRO_STYLES = MICRO_TUNED, MICRO_ASYNC = "micro-tuned", "micro-async"
"""Micro-agents: with full names, and with an asynchronous `handle`."""


VIEWED, FOLLOWED, LEFT, ALONE = "viewed", "followed", "left", "alone"
"""Watched by a view of all messages; by a view of another conversation; by a view that has gone; or, as a
control of the latter, never."""

WATCHES = (VIEWED, FOLLOWED, LEFT, ALONE)

CPU_TIMES, RATE_TIMES = "cpu_times", "rate_times"
"""Counters: the ratios of the CPU time of a round trip, and of the rate, to those without a viewer."""


SETTLED = "settled"
"""The counter that is 1 if a platform had settled before it was measured, 0 if not, else missing."""

WARM_UP_SECONDS, WARM_UP_ROUNDS = "warm-up seconds", "warm-up rounds"
"""Counters: the duration and the number of warm-up rounds."""

CPU_US = "CPU per round trip (us)"
"""The counter: CPU time of the asking process per measured round trip."""

COLD_RATE, COLD_MEAN_US, COLD_CPU_US = (
    "cold round trips per second",
    "cold mean round trip (us)",
    "cold CPU per round trip (us)",
)
"""Counters of the first round of its process, which is as long as the measured one."""
