"""How far the clock of a host is from the controller's, and how sure that is.

Each beat brings a sample: when it was sent, what the host's clock said, when the answer was there. The host
read its clock at some moment between the two, so half of the round trip is all that the sample can be wrong
by (Cristian 1989). Short round trips say most; since they were made the clocks have drifted apart, though, so
an old sample is worth less than a new one.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

_DRIFT = 50e-6  # seconds per second: what is allowed to ordinary crystals, both clocks together
_KEPT = 120  # samples; at one beat a second, what is older is worth nothing


class Offset(NamedTuple):
    """How far a host's clock is ahead of the controller's.

    Attributes:
        offset_ns: what the host's clock says more.
        uncertainty_ns: by how much that may be wrong, either way.
    """

    offset_ns: int
    uncertainty_ns: int


class Sample(NamedTuple):
    """One question for the time.

    Attributes:
        sent_ns: when it was asked, on the controller's clock.
        at_ns: what the host's clock said.
        received_ns: when the answer was there, on the controller's clock.
    """

    sent_ns: int
    at_ns: int
    received_ns: int

    def offset(self, now_ns: int) -> Offset:
        """Return what the sample says at a later moment of the controller's clock."""
        round_trip = self.received_ns - self.sent_ns
        age = max(0, now_ns - self.received_ns)
        middle = self.sent_ns + round_trip // 2
        return Offset(self.at_ns - middle, -(-round_trip // 2) + round(age * _DRIFT))


class Clock:
    """Keeps the samples of one host."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque(maxlen=_KEPT)

    def add(self, sample: Sample) -> None:
        """Keep a sample; one whose answer came before its question was sent says that the clock was set."""
        if sample.received_ns < sample.sent_ns:
            self._samples.clear()
        else:
            self._samples.append(sample)

    def offset(self, now_ns: int) -> Offset | None:
        """Return the surest offset at a moment of the controller's clock; None as long as there is none."""
        offsets = (sample.offset(now_ns) for sample in self._samples)
        return min(offsets, key=lambda offset: offset.uncertainty_ns, default=None)
