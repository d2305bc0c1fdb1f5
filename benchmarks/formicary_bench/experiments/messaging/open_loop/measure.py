"""The highest rate of an open loop at which 99% of all answers come in time: `messaging/saturation`.

Each trial of a rate is a short open loop in fresh processes. A rate is missed if answers come too late or the
sender falls behind its schedule; a disturbance of the host spoils the search.

The rate is multiplied while it is kept (or divided until it is). Then the gap between the highest rate kept
and the lowest missed is halved on a logarithmic scale until it is narrow. The latter is then tried once more,
since a short disturbance may have misled the search; if it is kept now, the search continues above it.

Searches that all start at the same rate would try the same rates and appear to agree exactly. Each starts at
a rate of its own, drawn from a gap as wide as the last one.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isqrt
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.messaging.open_loop import Limit
from formicary_bench.experiments.messaging.open_loop.pipeline import rounds_at
from formicary_bench.results.store.raw import MEASURED, RoundTrips, Trials
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.repetition import measure
from formicary_bench.runner.observers.validity import why_late
from formicary_bench.statistics.percentiles import percentiles
from formicary_bench.vocabulary.values import LATE

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.runner.execution.repetition import Task
    from formicary_bench.runner.observers.observer import ProgressListener


FIRST = 5000
"""The lowest rate that may be tried first, in messages per second."""

STEP = 3
"""The factor by which it is first multiplied or divided."""

NARROW = 1.15
"""The ratio of a gap's ends below which it is not halved again; that of a step is halved three times."""

MOST_TRIES = 24
"""The most tries."""

HIGHEST = 1_000_000
"""No rate above is tried."""


def drawn_first(seed: int) -> int:
    """Draw the rate at which a search starts."""
    part: float = Random(seed).random()
    return round(FIRST * math.pow(NARROW, part))


@dataclass
class Search:
    """The search for the highest rate that is kept.

    Attributes:
        first: the rate tried first.
        tries: for each trial, the rate and whether it was kept.
    """

    first: int = FIRST
    tries: dict[int, list[bool]] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """The highest rate kept below all that were missed; 0 if none."""
        rates = (rate for rate, verdicts in self.tries.items() if any(verdicts))
        return max((rate for rate in rates if not self.missed or rate < self.missed), default=0)

    @property
    def missed(self) -> int:
        """The lowest rate that was never kept; 0 if all were."""
        return min((rate for rate, verdicts in self.tries.items() if not any(verdicts)), default=0)

    def next(self) -> int | None:
        """Return the rate to try next; None if the search is over."""
        if sum(map(len, self.tries.values())) >= MOST_TRIES:
            return None
        if not self.tries:
            return self.first
        return self._further() or self._doubtful()

    def tell(self, rate: int, *, kept: bool) -> None:
        """Record whether a rate was kept."""
        self.tries.setdefault(rate, []).append(kept)

    def _doubtful(self) -> int | None:
        """Return the rate at which the search would end, if it has been missed only once."""
        return self.missed if len(self.tries.get(self.missed, ())) == 1 else None

    def _further(self) -> int | None:
        low, high = self.kept, self.missed
        if not high:
            return min(low * STEP, HIGHEST) if low < HIGHEST else None
        wanted = max(isqrt(low * high), low + 1) if low else max(high // STEP, 1)
        is_narrow = low and high <= low * NARROW
        return None if is_narrow or not low < wanted < high else wanted


_SEEDS = 2**32
_PERCENTILE = 0.99
_FAILURES = 3  # in a row at the start, after which lower rates are not tried
_PHASES_S = (
    0.1,
    0.6,
    0.1,
)  # T1, T2 and T3 of a trial: at 1% above its limit a platform is 6 ms late at the end


class _Tried(NamedTuple):
    """The result of a trial: the columns of `Trials`, and what disturbed it."""

    rate: int
    is_kept: bool = False
    p99_ns: int = 0
    answered: int = 0
    late: int = 0
    lost: int = 0
    disturbed: tuple[str, ...] = ()


def measure_saturation(task: Task, listener: ProgressListener) -> tuple[Repetition, Trials]:
    """Search once; every rate is measured in fresh processes, which are gone when this returns.

    Raises:
        RepetitionError: none of the first rates could be measured; the message is about the last one.
    """
    import numpy as np

    started, search = datetime.now(UTC), Search(drawn_first(task.seed))
    trials: list[_Tried] = []
    notes: list[str] = []
    while (rate := search.next()) is not None:
        try:
            trial = _try(task, rate, len(trials), listener)
        except RepetitionError as error:
            notes.append(f"at {rate} messages/s nothing was measured: {error}")
            if len(notes) == len(trials) + 1 >= _FAILURES:
                raise RepetitionError(notes[-1]) from error
            trial = _Tried(rate)
        trials.append(trial)
        search.tell(rate, kept=trial.is_kept)
    columns = (np.array(column, dtype=np.int64) for column in zip(*(one[:-1] for one in trials), strict=True))
    known = task.repetition(
        started,
        notes=tuple(notes),
        invalid=tuple(dict.fromkeys(why for trial in trials for why in trial.disturbed)),
    )
    return known, Trials(*columns)


def _try(task: Task, rate: int, number: int, listener: ProgressListener) -> _Tried:
    """Try a rate; raises RepetitionError if it cannot be measured."""
    load, limit = task.configuration.exchange.load, Limit.of(task.configuration)
    rounds = rounds_at(rate, load, _PHASES_S)
    one = task.configuration.sized(rounds=rounds, rate=rate)
    trial = dataclasses.replace(task, configuration=one, seed=(task.seed + number) % _SEEDS)
    repetition, data = measure(trial, listener)
    assert isinstance(data, RoundTrips)
    times = data.rtt_ns[data.phase == MEASURED]
    (p99_ns,) = percentiles(times, [_PERCENTILE])
    behind = why_late(one, repetition.counters)
    in_time = p99_ns <= limit.limit_us * 1000
    return _Tried(
        rate,
        is_kept=in_time and not repetition.lost and not behind,
        p99_ns=round(p99_ns),
        answered=len(times),
        late=round(repetition.counters.get(LATE, 0.0)),
        lost=repetition.lost,
        disturbed=tuple(why for why in repetition.invalid if why not in behind),
    )
