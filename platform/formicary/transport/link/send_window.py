"""The sending half of a session: numbers, the window, and frames kept until they are acknowledged."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from formicary.transport.link.failure_detector import GIVE_UP
from formicary.transport.link.header import DATA, HEADER, SIZE, SessionParameters
from formicary.transport.link.instructions import Counters, DeliveryOutcome, Failed, Transmit
from formicary.transport.link.unconsumed import Unconsumed

if TYPE_CHECKING:
    from formicary.transport.link.instructions import Instruction

_RESEND: Final = 0.25  # s between two resends over the same path
_FIRST: Final = 1 << 17  # bytes that are resent before anything shows that they arrive
NEVER: Final = float("-inf")

_pack = HEADER.pack


class SendWindow:
    """Numbers frames, sends them as far as the window allows, and keeps them until they are acknowledged.

    It adds to the session's `instructions`.

    Attributes:
        own: this end's incarnation.
        peer: the other end's incarnation; 0 without a session.
        other: the other end's parameters.
        window: how many frames may be unacknowledged now; 0 if none may be sent.
        sent: the number of the latest frame.
        acked: the number up to which frames are acknowledged.
        received: the number of the other end's latest frame, which outgoing frames acknowledge.
        owed: the weight of what came in and is not acknowledged yet.
        unconsumed: what has arrived, and is not known to be taken.
    """

    def __init__(
        self, own: int, parameters: SessionParameters, instructions: list[Instruction], counters: Counters
    ) -> None:
        self.own = own
        self.peer = 0
        self.other = SessionParameters()
        self.has_path = False
        self.is_stopped = False  # accepts nothing more
        self.unconsumed = Unconsumed()
        self._parameters = parameters
        self._instructions = instructions
        self._counters = counters  # what was sent counts earlier sessions
        self._pending: deque[tuple[int, bytes, Any]] = deque()  # wait for room
        self.sent = 0
        self.start()

    def start(self) -> None:
        """Begin a session: nothing was sent."""
        self._counters.sent += self.sent
        self.sent = self.acked = 0
        self._unacked: deque[tuple[bytes, Any]] = deque()  # of the numbers after `acked`
        self._unacked_bytes = 0
        self.unconsumed.clear()
        self._resent_at = NEVER
        self._again = 0  # the number of the next frame to resend; 0 for none
        self._goes_on_at = 0  # the number of the frame after whose acknowledgement more are resent
        self._burst = 0  # bytes that may be resent then
        self.window = 0
        self.received = 0
        self.owed = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits for an acknowledgement or for room."""
        return not (self._unacked or self._pending)

    @property
    def has_window(self) -> bool:
        """Whether a frame would go out at once."""
        return self.window > 0 and self._fits(0)

    @property
    def has_room(self) -> bool:
        """Whether messages may be sent now."""
        # `_fits(0)`, without its call, as this is asked for each batch.
        unacked, other = self._unacked, self.other
        return (
            self.window > 0
            and (
                not unacked
                or (len(unacked) < other.window_frames and self._unacked_bytes + SIZE <= other.window_bytes)
            )
            and not self.unconsumed.is_full
        )

    @property
    def unacknowledged(self) -> int:
        """How many frames wait for an acknowledgement, or for room."""
        return len(self._unacked) + len(self._pending)

    @property
    def acknowledged(self) -> int:
        """How many frames were acknowledged or failed, in all sessions."""
        return self._counters.sent + self.acked

    @property
    def frame_limit(self) -> int:
        """Bytes of the largest payload that a frame may have."""
        return min(self._parameters.frame_limit, self.other.frame_limit) - SIZE

    @property
    def message_limit(self) -> int:
        """Bytes of the largest batch of one message that the other end takes."""
        return min(self._parameters.message_limit, self.other.message_limit)

    # -- sending --------------------------------------------------------------------------------------------

    def send(self, payload: bytes, item: Any, kind: int = DATA) -> bytes | None:
        """Number a payload, and keep it until it is acknowledged; return its frame, or None if it must wait.

        Args:
            payload: a batch, or a part of one.
            item: the messages of the batch, for `Failed`; None except with the last part.
            kind: `PART` if more of the batch follows.
        """
        unacked = self._unacked
        size = self._unacked_bytes + len(payload) + SIZE
        if len(unacked) >= self.window or size > self.other.window_bytes:
            return self._send_later(kind, payload, item)
        self.sent = number = self.sent + 1
        frame = _pack(kind, self.own, self.peer, number, self.received) + payload
        unacked.append((frame, item))
        self._unacked_bytes = size
        self.owed = 0
        return frame

    def _send_later(self, kind: int, payload: bytes, item: Any) -> bytes | None:
        if self.is_stopped:
            if item is not None:
                self._instructions.append(Failed([item], "this container has stopped"))
        elif self.window and self._fits(len(payload)):
            return self.make_frame(kind, payload, item)
        else:
            self._pending.append((kind, payload, item))
            self.window = 0
        return None

    def _fits(self, size: int) -> bool:
        """Return whether the window has room; a single frame goes whatever its size."""
        unacked, other = self._unacked, self.other
        return not unacked or (
            len(unacked) < other.window_frames and self._unacked_bytes + size + SIZE <= other.window_bytes
        )

    def make_frame(self, kind: int, payload: bytes, item: Any) -> bytes:
        """Return the frame of a payload that has waited; arguments as of `send`."""
        self.sent += 1
        frame = _pack(kind, self.own, self.peer, self.sent, self.received) + payload
        self._unacked.append((frame, item))
        self._unacked_bytes += len(frame)
        self.owed = 0
        return frame

    def send_last(self, kind: int) -> None:
        """Send a frame behind all others, and accept nothing more."""
        self.is_stopped = True
        self._pending.append((kind, b"", None))
        self.send_pending()

    def send_pending(self) -> None:
        """Send what has waited for room, and update the window."""
        pending = self._pending
        can_send = self.has_path and not self._again and self.peer != 0
        while pending and can_send and self._fits(len(pending[0][1])):
            self._instructions.append(Transmit(self.make_frame(*pending.popleft())))
        self.window = self.other.window_frames if can_send and not (pending or self.is_stopped) else 0

    def say(self, kind: int, number: int = 0) -> None:
        """Send a frame without payload, which is not kept; like any, it acknowledges."""
        if self.has_path:
            self.owed = 0
            self._instructions.append(Transmit(_pack(kind, self.own, self.peer, number, self.received)))

    # -- sending again --------------------------------------------------------------------------------------

    def use_path(self, *, there_is_one: bool) -> None:
        """Switch to another path, or to none."""
        self.has_path = there_is_one
        self._resent_at = NEVER
        self._again = 0

    @property
    def is_resending(self) -> bool:
        """Whether frames are being resent, and new ones wait."""
        return self._again > 0

    @property
    def underway(self) -> int:
        """The number up to which frames have gone over the present path."""
        return self._again - 1 if self._again else self.sent

    def send_again(self, now: float) -> None:
        """Start to resend what is not acknowledged: little at first, and nothing new until all has gone.

        The path may be slow and break again soon: pings and acknowledgements must not wait behind a whole
        window until then.
        """
        if self.has_path and self._unacked and now - self._resent_at >= _RESEND:
            self._resent_at = now
            self._again = self.acked + 1
            self._burst = _FIRST
            self.window = 0
            self.proceed()

    def proceed(self) -> None:
        """Resend the next frames, twice as many bytes as before."""
        left = self._burst
        for frame, _ in islice(self._unacked, self._again - self.acked - 1, None):
            if left < len(frame) and left < self._burst:
                break
            left -= len(frame)
            self._again += 1
            self._counters.resent += 1
            self._instructions.append(Transmit(frame))
        self._burst *= 2
        self._goes_on_at = self._again - 1
        if self._again > self.sent:
            self._again = 0
            self.send_pending()

    # -- acknowledgements -----------------------------------------------------------------------------------

    def acknowledge(self, acked: int) -> bool:
        """Forget the frames up to a number; return False if that is old. ValueError if it is too high."""
        if acked > self.sent:
            raise ValueError(f"an acknowledgement of frame {acked}, while {self.sent} were sent")
        if acked <= self.acked:
            return False
        self._forget(acked)
        if self._again:
            self._again = max(self._again, acked + 1)
            if acked >= self._goes_on_at:
                self.proceed()
        elif self._pending:
            self.send_pending()
        return True

    def _forget(self, acked: int) -> None:
        take = self._unacked.popleft
        for _ in range(acked - self.acked):
            frame, item = take()
            size = len(frame)
            self._unacked_bytes -= size
            if item is not None and self.other.receipts:
                self.unconsumed.add(item, size)
        self.acked = acked

    def credit(self, previous: tuple[int, int, int] | None) -> DeliveryOutcome:
        """Forget what the other end took before it gave this one up; return the outcome of the rest."""
        own, other, taken = previous or (0, 0, 0)
        if (own, other) != (self.peer, self.own) or taken > self.sent:
            return DeliveryOutcome.UNKNOWN
        if taken > self.acked:
            self._forget(taken)
        return DeliveryOutcome.UNDELIVERED

    def relieve(self, now: float) -> None:
        """Fail half of what has arrived and is not taken, if too much has waited for too long."""
        unconsumed = self.unconsumed
        if unconsumed.full_since is None:
            unconsumed.full_since = now
        elif now - unconsumed.full_since > GIVE_UP:
            count = len(unconsumed)
            batches = unconsumed.withdraw(count // 2)
            reason = f"none of {count} messages was taken there for {GIVE_UP:g} s"
            self._instructions.append(Failed(batches, reason, DeliveryOutcome.DELIVERED))

    def refuse_large(self) -> None:
        """Fail all that waits if the other end does not take frames of this size."""
        if any(len(payload) > self.frame_limit for _, payload, _ in self._pending):
            reason = "it only takes smaller frames, which was not known when they were created"
            self.give_back(reason, DeliveryOutcome.UNDELIVERED)

    def give_back(self, reason: str, outcome: DeliveryOutcome) -> None:
        """Fail everything not known to be taken; `outcome` is that of unacknowledged frames."""
        arrived = self.unconsumed.withdraw()
        sent = [item for _, item in self._unacked if item is not None]
        pending = [item for _, _, item in self._pending if item is not None]
        self._unacked.clear()
        self._pending.clear()
        for items, each in (
            (arrived, DeliveryOutcome.DELIVERED),
            (sent, outcome),
            (pending, DeliveryOutcome.UNDELIVERED),
        ):
            if items:
                self._instructions.append(Failed(items, reason, each))
