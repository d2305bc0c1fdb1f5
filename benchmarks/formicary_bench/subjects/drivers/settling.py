"""When a platform is warm: it makes rounds in one process until their cost stays the same.

Pure: from the cost of each round to whether it has settled.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUND_SECONDS = 0.5
"""About how long a warm-up round is, in seconds."""

MOST_SECONDS = 30.0
"""Seconds after which a platform that has not settled is measured anyway."""

_FEWEST = 6  # rounds that are looked at
_PART = 3  # of all rounds, the last one of so many parts is looked at, if that is more
_MOVED = 0.05  # between the two halves of these
_SCATTER = 0.15  # how far any of them may be from their median
_MANY = 24  # rounds that are looked at where they scatter, or half of all
_MOST_ROUNDS = 300
_MOST_TRIPS = 1_000_000  # of all pairs in a round

CRITERION = (
    f"rounds of about {ROUND_SECONDS:g} s in one process, until over the last {_FEWEST} of them (or the last "
    "third, if that is more) either their rate or the CPU time of a round trip "
    f"differs by at most {_MOVED:.0%} between the first half and the second, and in none by more than "
    f"{_SCATTER:.0%} from the median; or, where rounds scatter by nature, the same holds for halves and "
    f"quarters of the last {_MANY} (or the last half); and a virtual machine compiles nothing to speak of; "
    f"after {MOST_SECONDS:g} s it is measured all the same, and said not to have settled"
)
"""The criterion in words."""


@dataclass(frozen=True)
class Round:
    """The cost of a round.

    Attributes:
        trips: the round trips of all pairs together.
        seconds: from the first start to the last end.
        cpu_s: CPU time of the driver's process; 0 if unknown.
        is_warm: whether nothing in the driver's runtime is known to be warming up.
    """

    trips: int
    seconds: float
    cpu_s: float = 0.0
    is_warm: bool = True

    @property
    def per_s(self) -> float:
        return self.trips / self.seconds

    @property
    def cpu_us(self) -> float:
        """CPU time of a round trip in microseconds."""
        return self.cpu_s / self.trips * 1e6


class Settling:
    """The warm-up rounds of a platform."""

    def __init__(self, first: Round) -> None:
        self.rounds: list[Round] = []
        self._latest = first

    def add(self, one: Round) -> None:
        """Add a warm-up round."""
        self.rounds.append(one)
        self._latest = one

    @property
    def seconds(self) -> float:
        """Their total duration."""
        return sum(one.seconds for one in self.rounds)

    @property
    def has_settled(self) -> bool:
        """Whether the last rounds cost the same; see `CRITERION`."""
        last = self.rounds[-max(_FEWEST, len(self.rounds) // _PART) :]
        many = self.rounds[-max(_MANY, len(self.rounds) // 2) :]
        if len(last) < _FEWEST or not all(one.is_warm for one in last):
            return False
        # Where threads take turns as the system likes, rounds never come to be alike; what counts is that
        # they get no faster.
        for values in ([one.per_s for one in many], [one.cpu_us for one in many]):
            latest = values[-len(last) :]
            if _has_stayed(latest) and _is_level(latest):
                return True
            if len(many) >= _MANY and _has_stayed(values) and _is_level(_quarters(values)):
                return True
        return False

    @property
    def is_over(self) -> bool:
        """Whether the warm-up is over."""
        is_enough = self.seconds >= MOST_SECONDS or len(self.rounds) >= _MOST_ROUNDS
        return is_enough or self.has_settled

    def trips(self, pairs: int) -> int:
        """Return the round trips of each pair in the next round."""
        wanted = min(self._latest.per_s * ROUND_SECONDS, _MOST_TRIPS)
        return max(1, round(wanted / pairs))


def _has_stayed(values: Sequence[float]) -> bool:
    """Return whether the second half of the rounds costs as much as the first."""
    middle, half = median(values), len(values) // 2
    return bool(middle) and abs(median(values[half:]) - median(values[:half])) <= _MOVED * middle


def _is_level(values: Sequence[float]) -> bool:
    """Return whether all are close together."""
    middle = median(values)
    return all(abs(value - middle) <= _SCATTER * middle for value in values)


def _quarters(values: Sequence[float]) -> list[float]:
    """Return the medians of four parts."""
    cuts = [len(values) * part // 4 for part in range(5)]
    return [median(values[begin:end]) for begin, end in pairwise(cuts)]
