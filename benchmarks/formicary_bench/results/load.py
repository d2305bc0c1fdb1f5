"""When all pairs were at work: the check of full load, and the window in which rates are counted.

One definition for the engine, which notes it in the manifest, and for the summary, which computes it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.raw import MEASURED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from formicary_bench.results.raw import RoundTrips


class Load(msgspec.Struct, frozen=True):
    """The measured phase (T2) of one repetition as a whole.

    Attributes:
        full: Whether no pair ended its last phase before another ended T2.
        round_trips: Round trips of T2, of all pairs.
        elapsed_s: From the first pair's begin of T2 to the last pair's end of it.
        begin_ns: When the last pair entered T2: the window's begin.
        end_ns: When the first pair left T2: the window's end, before its begin where there was no window.
        round_trips_in_window: How many round trips ended in the window.
    """

    full: bool
    round_trips: int
    elapsed_s: float
    begin_ns: int
    end_ns: int
    round_trips_in_window: int

    @property
    def window_s(self) -> float:
        """How long all pairs were in T2 together."""
        return max(self.end_ns - self.begin_ns, 0) / 1e9


def load_of(data: RoundTrips) -> Load | None:
    """Look at the round trips of a repetition; None where none was measured."""
    measured = data.phase == MEASURED
    if not measured.any():
        return None
    ends = data.start_ns + data.rtt_ns
    begun = _per_pair(data.pair[measured], data.start_ns[measured], first=True)
    ended = _per_pair(data.pair[measured], ends[measured], first=False)
    done = _per_pair(data.pair, ends, first=False)
    begin, end = int(begun.max()), int(ended.min())
    return Load(
        full=len(done) == len(ended) and bool(done.min() >= ended.max()),
        round_trips=int(measured.sum()),
        elapsed_s=int(ended.max() - begun.min()) / 1e9,
        begin_ns=begin,
        end_ns=end,
        round_trips_in_window=int(((ends > begin) & (ends <= end)).sum()),
    )


def _per_pair(pair: NDArray[np.int32], times: NDArray[np.int64], *, first: bool) -> NDArray[np.int64]:
    """Give each pair's earliest or latest time; pairs without one are left out."""
    import numpy as np

    limit = np.iinfo(np.int64).max if first else np.iinfo(np.int64).min
    best: NDArray[np.int64] = np.full(int(pair.max()) + 1, limit, dtype=np.int64)
    (np.minimum if first else np.maximum).at(best, pair, times)
    found: NDArray[np.int64] = best[best != limit]
    return found
