"""In which sizes `mobile/...` makes loops of an operation, and how often each: see Dikaiakos 2001, Section 2.

That paper makes loops of 1 to 1000 operations, and takes the total time of each. It calls the highest rate of
any of them the peak rate, and the rate of an experiment that goes on for long the sustained rate.
"""

from __future__ import annotations

CPU_GROUP = "agents"

WAYS = IN_TURN, AT_ONCE = "in-turn", "at-once"
"""How the operations of a loop follow each other, where there is a choice: each after the one before it has
ended, or all of them together."""

MOST_LOOP = 1_000_000
"""The most operations of a loop."""

SUSTAINED_LAPS = 5
"""How often the largest loop is made after all others, for the sustained rate."""

_STEPS = 1, 2, 5
_OFTEN, _ENOUGH = 10, 200  # a size has so many laps at most, and as few as make so many operations together
_PLACES = 4
_LEAST = {"mobile/roam": _PLACES}  # an agent that visits four places is back after four hops


def sizes(most: int, least: int = 1) -> tuple[int, ...]:
    """Return the sizes of loops up to the largest: 1, 2, 5, 10, 20, 50, ..., all times the smallest."""
    found = []
    power = least
    while power <= most:
        found += [power * step for step in _STEPS if power * step < most]
        power *= 10
    return (*found, most)


def laps(most: int, least: int = 1) -> tuple[int, ...]:
    """Return the sizes of all loops, in the order in which they are made.

    Small ones are made more often, as chance weighs more in them. At the end the largest one is made again
    and again.
    """
    each = [size for size in sizes(most, least) for _ in range(_times(size // least))]
    return (*each, *[most] * SUSTAINED_LAPS)


def smallest_of(experiment: str) -> int:
    """Return how many operations the smallest loop of an experiment has."""
    return _LEAST.get(experiment, 1)


def _times(operations: int) -> int:
    return min(max(_ENOUGH // operations, 1), _OFTEN)
