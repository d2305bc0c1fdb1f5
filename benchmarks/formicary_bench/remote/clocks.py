"""The offset of a host's clock from the controller's, and its uncertainty.

Each beat gives a sample: when it was sent, the host's time, when the answer came. The host read its clock in
between, so the error is at most half the round trip (Cristian 1989), and grows with age, as clocks drift.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

_DRIFT = 50e-6  # seconds per second, of both clocks together: the tolerance of ordinary crystals
_KEPT = 120  # samples, one a second


class Offset(NamedTuple):
    """How far a host's clock is ahead of the controller's, and the possible error of that."""

    offset_ns: int
    uncertainty_ns: int


class Sample(NamedTuple):
    """A question for the time: sent and received on the controller's clock, answered on the host's."""

    sent_ns: int
    at_ns: int
    received_ns: int

    def offset(self, now_ns: int) -> Offset:
        """Return the offset at a later moment of the controller's clock."""
        round_trip = self.received_ns - self.sent_ns
        age = max(0, now_ns - self.received_ns)
        middle = self.sent_ns + round_trip // 2
        return Offset(self.at_ns - middle, -(-round_trip // 2) + round(age * _DRIFT))


class Clock:
    """Keeps the samples of one host."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque(maxlen=_KEPT)

    def add(self, sample: Sample) -> None:
        """Keep a sample; if time went backwards, our clock was set: forget the others."""
        if sample.received_ns < sample.sent_ns:
            self._samples.clear()
        else:
            self._samples.append(sample)

    def offset(self, now_ns: int) -> Offset | None:
        """Return the most certain offset at a moment of the controller's clock; None if there is none."""
        offsets = (sample.offset(now_ns) for sample in self._samples)
        return min(offsets, key=lambda offset: offset.uncertainty_ns, default=None)
