"""The highest rate of an open loop at which 99% of all answers come in time: `messaging/saturation`.

Each try of a rate is a short open loop in fresh processes. A sender that cannot keep its schedule has not
kept the rate, as one that is answered too late; what disturbs a host makes the search worthless.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.messaging.open_loop.plan import rounds_at
from formicary_bench.experiments.messaging.saturation import Limit
from formicary_bench.experiments.messaging.saturation.search import Search, drawn_first
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

_SEEDS = 2**32
_PERCENTILE = 0.99
_FAILURES = 3  # at the begin, after which nothing is expected of lower rates
_PHASES_S = 0.1, 0.6, 0.1  # T1, T2 and T3 of a try: who is asked for 1% too much is 6 ms late at the end


class _Tried(NamedTuple):
    """What came of a rate: the columns of `Trials`, and what disturbed it."""

    rate: int
    is_kept: bool = False
    p99_ns: int = 0
    answered: int = 0
    late: int = 0
    lost: int = 0
    disturbed: tuple[str, ...] = ()


def measure_saturation(task: Task, listener: ProgressListener) -> tuple[Repetition, Trials]:
    """Search once; every rate is measured in fresh processes, which are gone when this returns.

    Args:
        task: what to search for.
        listener: told of the progress.

    Raises:
        RepetitionError: the first rates could not be measured at all; says what happened to the last one.
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
    """Try a rate; raises RepetitionError if nothing comes of it."""
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
