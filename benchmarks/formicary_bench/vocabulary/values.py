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
"""Bytes at the begin of a body that say which message it is: the smallest payload of an open loop."""

LOST = -1
"""The time of a message that was never answered."""

LATE, LATEST_US = "late sends", "latest send us"
"""The counters: how many measured messages were sent late, and how late the latest one was."""

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
"""By calls for proposals to many bidders; by requests, each awaited in a task of its own."""


DESIGNS = REPLICA, CENTRAL, LOOKUP = "replica", "central", "lookup"
"""How the directory is built: as in `Services(directory=...)`."""

DELIVERIES = HAND_OVER, POOL, BUFFER, CHAIN, COPIED, ENCODED = (
    *("hand-over", "pool", "buffer", "chain"),
    *("copied", "encoded"),
)
"""How messages get to an agent of the same container: as the classes of
`formicary_bench.subjects.variants.delivery` do it."""

IMPORTED, CONTAINER = "imported", "container"
"""What a process may hold instead of agents: the platform's modules, or an open container as well."""


MOST_DIMENSION = 1000
"""The most cells of a side."""

MICRO_COPIED = "micro-copied"
"""The kind of micro-agents that get copies of messages."""

HELD_BYTES = "held_bytes"
"""A counter: what the processes of all agents hold of the memory when all is over."""


def active_of(dimension: int) -> int:
    """Return the number of agents of a grid that ask at the start: a tenth."""
    return max(dimension * dimension // 10, 1)


WAYS = IN_TURN, AT_ONCE = "in-turn", "at-once"
"""How the operations of a loop follow each other, where there is a choice: each after the one before it has
ended, or all of them together."""

MOST_LOOP = 1_000_000
"""The most operations of a loop."""

SUSTAINED_LAPS = 5
"""How often the largest loop is made after all others, for the sustained rate."""

PATTERNS = UNMEDIATED, BY_AGENT, INTERCEPTED, BY_PROXY = (
    *("client-server", "client-agent-server"),
    *("client-intercept-server", "proxy-server"),
)
"""Who stands between clients and servers: nobody; an agent for each client, beside the servers; another one
beside the client as well; or one agent for all."""

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
"""The kind of our agents that are: all behaviours do one cycle before any does its next."""


MIXES = BROWSING, SHOPPING, ORDERING = "browsing", "shopping", "ordering"
"""Which requests there are, as TPC-W has them: 5%, 20% or 50% have to do with an order."""

DATABASES = SQLITE, POSTGRESQL = "sqlite", "postgresql"
"""Where the shop's data is: in a file of its own process, or in a server beside it."""

SHOP_WAYS = TRAVELS, FETCHES = "travels", "fetches"
"""How an agent gets at the data: it moves there and comes home, or it stays and asks by messages."""

PAGE_BYTES, ORDERS_MADE = "page bytes of a visit", "orders of a visit"
"""What is counted beside the times."""


WAKES = BY_TIME, BY_MESSAGE = "by-time", "by-message"
"""What wakes them: their time, which is the same for all, or a message to each."""

AWAKE, ASLEEP, IN_FILE = "awake_bytes", "asleep_bytes", "in_file_bytes"
"""Counters: what Python has traced of the objects of an agent, and what of the file is an agent's."""


STYLES = TUNED, SHORT_NAMES, TIME_OUTS, TWO_BEHAVIOURS, SIX_BEHAVIOURS = (
    *("tuned", "short-names", "time-outs"),
    *("two-behaviours", "six-behaviours"),
)
"""Agents with behaviours. A tuned one has full names, no template, no timeout and `__slots__`; the next two
have one thing of the usual agents each, and the last two have more behaviours than those."""

MICRO_STYLES = MICRO_TUNED, MICRO_ASYNC = "micro-tuned", "micro-async"
"""Micro-agents: with full names, and with an asynchronous `handle`."""


VIEWED, FOLLOWED, LEFT, ALONE = "viewed", "followed", "left", "alone"
"""By a view of all messages; by one that follows a conversation, which is none of theirs; by one that has
gone; and by none, where the same times are compared as of one that has gone."""

WATCHES = (VIEWED, FOLLOWED, LEFT, ALONE)

CPU_TIMES, RATE_TIMES = "cpu_times", "rate_times"
"""Counters: the CPU time of a round trip, and the rate, times those without a viewer."""


SETTLED = "settled"
"""The counter that is 1 where it was measured when it had settled, 0 where it had not, and missing where that
is no question."""

WARM_UP_SECONDS, WARM_UP_ROUNDS = "warm-up seconds", "warm-up rounds"
"""How long it made rounds until it was measured, and how many."""

CPU_US = "CPU per round trip (us)"
"""CPU time of the process that asks, over what was measured."""

COLD_RATE, COLD_MEAN_US, COLD_CPU_US = (
    "cold round trips per second",
    "cold mean round trip (us)",
    "cold CPU per round trip (us)",
)
"""The same of the first round of its process, which is as long as what was measured."""
