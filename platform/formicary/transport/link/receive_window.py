"""The receiving half of a session: which frames are taken, and what is still to be acknowledged."""

from __future__ import annotations

from struct import error as StructError  # noqa: N812 -- it is a class
from typing import TYPE_CHECKING, Final

from formicary.transport.link.header import ACK, DATA, HEADER, LOST, PART, SIZE
from formicary.transport.link.send_window import NEVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.link.failure_detector import FailureDetector
    from formicary.transport.link.header import SessionParameters
    from formicary.transport.link.send_window import SendWindow

_COMPLAIN_AGAIN: Final = 0.1  # s between two complaints about frames that are not taken
_COPIED: Final = 4096  # bytes of a frame up to which copying costs less than a view

_unpack = HEADER.unpack_from


class ReceiveWindow:
    """Takes the other end's numbered frames, once and in order, as long as the lease lasts.

    Args:
        parameters: the session's.
        sending: the sending half, whose frames acknowledge.
        detector: records when the other end was heard.
        acknowledge: called with each new acknowledgement.
        receive_unusual: called with each frame that is not simply the next batch, and the time.

    Attributes:
        received: the number of the latest frame that was taken.
        takes_until: the end of the lease, if the session is open.
        has_refused: whether a frame was not taken that must be resent.
        is_frozen: whether acknowledgements are withheld, so that the other end waits.
        parts: what has arrived of a batch in parts.
    """

    def __init__(
        self,
        parameters: SessionParameters,
        sending: SendWindow,
        detector: FailureDetector,
        *,
        acknowledge: Callable[[int], None],
        receive_unusual: Callable[[bytes, float], memoryview | None],
    ) -> None:
        self._parameters = parameters
        self._sending = sending
        self._detector = detector
        self._acknowledge = acknowledge
        self._receive_unusual = receive_unusual
        self.is_frozen = False
        self.has_refused = False
        # An acknowledgement is due after a quarter of the window. Each frame weighs its bytes and a share of
        # the window, so that this holds for both.
        self._share = parameters.window_bytes // parameters.window_frames
        self._ack_at = parameters.window_bytes // 4
        self.start()

    def start(self) -> None:
        """Begin a session: nothing was received."""
        self.received = 0
        self.takes_until = NEVER
        self._held = 0  # bytes of the frames taken while acknowledgements are withheld
        self._complained_at = NEVER
        self.parts = bytearray()

    def receive(self, frame: bytes, now: float) -> bytes | memoryview | None:
        """Process a frame of any kind; return the batch that it completes, if any.

        ValueError if it is malformed or breaks the protocol; nothing has changed then.
        """
        try:
            kind, sender, receiver, number, acked = _unpack(frame)
        except StructError as error:
            raise ValueError(f"not a frame: {len(frame)} bytes are no header") from error
        sending = self._sending
        if (
            kind != DATA
            or number != self.received + 1
            or sender != sending.peer
            or receiver != sending.own
            or now > self.takes_until
            or self.parts
        ):
            return self._receive_unusual(frame, now)
        size = len(frame)
        if self.is_frozen:
            self._check_window(number, size)
        if acked != sending.acked:
            self._acknowledge(acked)
        self._detector.heard_at = now
        self.received = number
        if self.is_frozen:
            self._held += size
        else:
            sending.received = number
        sending.owed += size + self._share
        if sending.owed >= self._ack_at:
            sending.say(ACK)
        return frame[SIZE:] if size <= _COPIED else memoryview(frame)[SIZE:]

    def check(self, kind: int, number: int, size: int) -> None:
        """Raise ValueError if a frame of the session exceeds what this end allows."""
        if number != self.received + 1 or kind not in {DATA, PART}:
            return
        if (kind == PART or self.parts) and len(self.parts) + size - SIZE > self._parameters.message_limit:
            raise ValueError(f"a batch of more than {self._parameters.message_limit} bytes")
        if self.is_frozen:
            self._check_window(number, size)

    def _check_window(self, number: int, size: int) -> None:
        """Refuse a frame beyond the window, while nothing is acknowledged."""
        frames = number - self._sending.received
        if frames > self._parameters.window_frames or (
            frames > 1 and self._held + size > self._parameters.window_bytes
        ):
            raise ValueError(f"frame {number}, where the window ends before")

    def is_due(self, number: int, now: float) -> bool:
        """Return whether to take the frame with this number now."""
        return number == self.received + 1 and now <= self.takes_until

    def take(self, frame: bytes, kind: int) -> memoryview | None:
        """Take the next frame, which is due; return the batch that it completes, if any."""
        self.received += 1
        if self.is_frozen:
            self._held += len(frame)
        else:
            self._sending.received = self.received
        self._sending.owed += len(frame) + self._share
        if self._sending.owed >= self._ack_at:
            self._sending.say(ACK)
        self.parts += memoryview(frame)[SIZE:]
        if kind == PART:
            return None
        batch, self.parts = self.parts, bytearray()
        return memoryview(batch)

    def complain(self, kind: int, now: float) -> None:
        """Send a frame of this kind because of one that is not taken, but not too often."""
        if now - self._complained_at >= _COMPLAIN_AGAIN:
            self._complained_at = now
            self._sending.say(kind)

    def confirm(self, until: float) -> None:
        """Extend the lease, as the other end has answered; ask again for what was refused."""
        self.takes_until = until
        if self.has_refused:
            self.has_refused = False
            self._sending.say(LOST)

    def freeze(self, *, is_frozen: bool) -> None:
        """Withhold acknowledgements, so that the window fills and the other end waits; or resume."""
        self.is_frozen = is_frozen
        self._held = 0
        if not is_frozen and self._sending.received < self.received:
            self._sending.received = self.received
            self._sending.owed += 1
            self._sending.say(ACK)

    def acknowledge(self) -> None:
        """Acknowledge now, rather than with the next frame."""
        if self._sending.owed and not self.is_frozen:
            self._sending.say(ACK)
