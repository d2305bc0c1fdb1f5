"""When all pairs were active: the check of full load, and the window in which rates are counted.

One definition for both the engine, which notes it in the manifest, and the summary, which recomputes it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.store.raw import MEASURED, RoundTrips

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


_LOADED = 4  # a part of T2's round trips: fewer say little


class Load(msgspec.Struct, frozen=True):
    """The measured phase (T2) of one repetition as a whole.

    Attributes:
        full: Whether no pair ended its last phase before another ended T2.
        round_trips: Round trips of T2, of all pairs.
        elapsed_s: The span: from the first pair's start of T2 to the last pair's end of it.
        begin_ns: The start of the window: when the last pair entered T2.
        end_ns: The end of the window: when the first pair left T2; before its start if there was none.
        round_trips_in_window: The round trips that ended in the window.
        loaded_s: The part of the span in which all pairs were active, in any phase; all of it if that is
            short.
        round_trips_in_loaded: The round trips of any phase that ended in that time.
    """

    full: bool
    round_trips: int
    elapsed_s: float
    begin_ns: int
    end_ns: int
    round_trips_in_window: int
    loaded_s: float
    round_trips_in_loaded: int

    @property
    def window_s(self) -> float:
        """How long all pairs were in T2 together."""
        return max(self.end_ns - self.begin_ns, 0) / 1e9

    @property
    def has_window(self) -> bool:
        """Whether at least half of all round trips ended in the window: a shorter one says little."""
        return self.window_s > 0 and 2 * self.round_trips_in_window >= self.round_trips

    @property
    def rate(self) -> float | None:
        """All pairs' round trips per second while all are active; None if that is no time.

        While one pair is in T2, others may make round trips of T1 and T3, which are part of the rate as well.
        Those of slow pairs after a fast one has ended are not, as the load is smaller.
        """
        if self.has_window:
            return self.round_trips_in_window / self.window_s
        return self.round_trips_in_loaded / self.loaded_s if self.loaded_s else None


def load_of(data: RoundTrips, members: Sequence[int] = ()) -> Load | None:
    """Return the load of a repetition; None if nothing was measured.

    Args:
        data: the round trips.
        members: the pairs of each measuring process, if there are several. Each has its own clock, so each is
            treated alone, and the window is as long as makes the rate the sum of their rates.
    """
    if len(members) < 2:  # noqa: PLR2004 -- several
        return _load_of_one(data)
    edges = [sum(members[:place]) for place in range(len(members) + 1)]
    loads = [_load_of_one(data, *ends) for ends in itertools.pairwise(edges)]
    known = [load for load in loads if load is not None]
    return _together(known) if len(known) == len(members) else None


def _together(loads: list[Load]) -> Load:
    in_window = sum(load.round_trips_in_window for load in loads)
    has_windows = all(load.has_window for load in loads)
    rate = sum(load.round_trips_in_window / load.window_s for load in loads) if has_windows else 0.0
    begin = max(load.begin_ns for load in loads)
    in_loaded = sum(load.round_trips_in_loaded for load in loads)
    loaded_rate = sum(load.round_trips_in_loaded / load.loaded_s for load in loads if load.loaded_s)
    return Load(
        full=all(load.full for load in loads),
        round_trips=sum(load.round_trips for load in loads),
        elapsed_s=max(load.elapsed_s for load in loads),
        begin_ns=begin,
        end_ns=begin + round(in_window / rate * 1e9) if rate else begin,
        round_trips_in_window=in_window if rate else 0,
        loaded_s=in_loaded / loaded_rate if loaded_rate else 0.0,
        round_trips_in_loaded=in_loaded,
    )


def _load_of_one(data: RoundTrips, first: int = 0, last: int = 2**31 - 1) -> Load | None:
    """Return the load of the pairs from `first` to before `last`, which share a clock."""
    started, begun, ended, done = (times[times != none] for times, none in _edges(data, first, last))
    if not len(begun):
        return None
    window, span = (int(begun.max()), int(ended.min())), (int(begun.min()), int(ended.max()))
    loaded = max(span[0], int(started.max())), min(span[1], int(done.min()))
    counts = [_counts(part, (first, last), window, loaded, span) for part in data.parts()]
    measured, in_window, in_loaded, in_span = (sum(found) for found in zip(*counts, strict=True))
    if _LOADED * in_loaded < measured:
        loaded, in_loaded = span, in_span
    return Load(
        full=len(done) == len(ended) and bool(done.min() >= ended.max()),
        round_trips=measured,
        elapsed_s=(span[1] - span[0]) / 1e9,
        begin_ns=window[0],
        end_ns=window[1],
        round_trips_in_window=in_window,
        loaded_s=(loaded[1] - loaded[0]) / 1e9,
        round_trips_in_loaded=in_loaded,
    )


def _edges(data: RoundTrips, first: int, last: int) -> list[tuple[NDArray[np.int64], int]]:
    """Return each pair's first start, start and end of T2, and last end, each with its value for none."""
    import numpy as np

    most = np.iinfo(np.int64).max
    pairs = int(data.pair.max()) + 1 if len(data.pair) else 0
    found = [(np.full(pairs, none, dtype=np.int64), int(none)) for none in (most, most, -most, -most)]
    (started, _), (begun, _), (ended, _), (done, _) = found
    for part in data.parts():
        ends = part.start_ns + part.rtt_ns
        of_it = (part.pair >= first) & (part.pair < last)
        measured = of_it & (part.phase == MEASURED)
        np.minimum.at(started, part.pair[of_it], part.start_ns[of_it])
        np.minimum.at(begun, part.pair[measured], part.start_ns[measured])
        np.maximum.at(ended, part.pair[measured], ends[measured])
        np.maximum.at(done, part.pair[of_it], ends[of_it])
    return found


def _counts(part: RoundTrips, pairs: tuple[int, int], *times: tuple[int, int]) -> list[int]:
    """Count the round trips of T2, and those that ended in each of some periods."""
    ends = part.start_ns + part.rtt_ns
    of_it = (part.pair >= pairs[0]) & (part.pair < pairs[1])
    ended = [of_it & (ends > begin) & (ends <= end) for begin, end in times]
    return [int(found.sum()) for found in (of_it & (part.phase == MEASURED), *ended)]
