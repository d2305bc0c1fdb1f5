"""The sending half of a link's end: numbers, the window, and what is kept until it is acknowledged."""

from __future__ import annotations

from collections import deque
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from formicary.transport.link.header import DATA, HEADER, SIZE, SessionParameters
from formicary.transport.link.instructions import Counters, DeliveryOutcome, Failed, Transmit
from formicary.transport.link.unconsumed import Unconsumed

if TYPE_CHECKING:
    from formicary.transport.link.instructions import Instruction

_RESEND: Final = 0.25  # s between two times that all is sent again, unless it is over another path
_FIRST: Final = 1 << 17  # bytes that go again before anything shows that they arrive
NEVER: Final = float("-inf")

_pack = HEADER.pack


class State(Enum):
    """Where an end of a link is in its life."""

    IDLE = "idle"
    HANDSHAKE = "handshake"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


class Sending:
    """What a session knows and does about frames that go out.

    Args:
        own: this end's incarnation.
        parameters: what to tell the other end.

    Attributes:
        own: this end's incarnation.
        peer: the other end's incarnation; 0 where there is none.
        window: how many frames may be unacknowledged now; 0 where none must be sent.
        unconsumed: what has arrived, and is not known to be taken by its receivers.
    """

    def __init__(self, own: int, parameters: SessionParameters) -> None:
        self.parameters = parameters
        self.state = State.IDLE
        self.instructions: list[Instruction] = []
        self.own = own
        self.peer = 0
        self._other = SessionParameters()  # the other end's
        self._has_path = False
        self._pending: deque[tuple[int, bytes, Any]] = deque()  # for which there is no room yet
        self.unconsumed = Unconsumed()
        self._counters = Counters()  # of what was sent and received, only in earlier sessions
        self._sent = 0
        self._start()

    def _start(self) -> None:
        """Begin a session: nothing sent."""
        self._counters.sent += self._sent
        self._sent = self._acked = 0
        self._unacked: deque[tuple[bytes, Any]] = deque()  # of the numbers after `_acked`
        self._unacked_bytes = 0
        self.unconsumed.clear()
        self._resent_at = NEVER
        self._again = 0  # the number of the frame to be sent again next; 0 where none is to be
        self._goes_on_at = 0  # the number of the frame whose acknowledgement lets more be sent again
        self._burst = 0  # bytes that may be sent again then
        self.window = 0
        self._ack_sent = 0  # the latest frame of the other end that was acknowledged
        self._owed = 0  # the weight of what came in and is not acknowledged yet

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the other end is there."""
        return self.state is State.OPEN

    @property
    def incarnations(self) -> tuple[int, int]:
        """This end's number and the other's, 0 where that is not known."""
        return self.own, self.peer

    @property
    def is_busy(self) -> bool:
        """Whether something waits for the other end, or the other end for us."""
        return bool(self._unacked or self._pending or self._owed or self.state is State.HANDSHAKE)

    @property
    def has_window(self) -> bool:
        """Whether what is sent now goes out at once."""
        return self.window > 0 and self._fits(0)

    @property
    def has_room(self) -> bool:
        """Whether messages are to be sent now."""
        # `_fits(0)`, without its call: this is asked for each batch.
        unacked, other = self._unacked, self._other
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
        """How many frames were acknowledged, or given back, in all sessions."""
        return self._counters.sent + self._acked

    @property
    def frame_limit(self) -> int:
        """Bytes of the largest payload that a frame to the other end may have."""
        return min(self.parameters.frame_limit, self._other.frame_limit) - SIZE

    @property
    def message_limit(self) -> int:
        """Bytes of the largest batch of one message that the other end takes."""
        return min(self.parameters.message_limit, self._other.message_limit)

    # -- sending --------------------------------------------------------------------------------------------

    def send(self, payload: bytes, item: Any, kind: int = DATA) -> bytes | None:
        """Number a payload, and keep it until it is acknowledged.

        Args:
            payload: a batch, or a part of one.
            item: the messages, given back if they fail; with the last part of a batch, else None.
            kind: `PART` where more of the batch follows.

        Returns:
            The frame to send over the present path; None where it has to wait.
        """
        unacked = self._unacked
        size = self._unacked_bytes + len(payload) + SIZE
        if len(unacked) >= self.window or size > self._other.window_bytes:
            return self._send_later(kind, payload, item)
        self._sent = number = self._sent + 1
        frame = _pack(kind, self.own, self.peer, number, self._ack_sent) + payload
        unacked.append((frame, item))
        self._unacked_bytes = size
        self._owed = 0
        return frame

    def _send_later(self, kind: int, payload: bytes, item: Any) -> bytes | None:
        if self.state in {State.CLOSING, State.CLOSED}:
            if item is not None:
                self.instructions.append(Failed([item], "this container has stopped"))
        elif self.window and self._fits(len(payload)):
            return self.make_frame(kind, payload, item)
        else:
            self._pending.append((kind, payload, item))
            self.window = 0
        return None

    def _fits(self, size: int) -> bool:
        """Return whether the window has room; a single frame goes however large it is."""
        unacked, other = self._unacked, self._other
        return not unacked or (
            len(unacked) < other.window_frames and self._unacked_bytes + size + SIZE <= other.window_bytes
        )

    def make_frame(self, kind: int, payload: bytes, item: Any) -> bytes:
        """Return the frame of what has waited for room, or is sent last; arguments as of `send`."""
        self._sent += 1
        frame = _pack(kind, self.own, self.peer, self._sent, self._ack_sent) + payload
        self._unacked.append((frame, item))
        self._unacked_bytes += len(frame)
        self._owed = 0
        return frame

    def _send_pending(self) -> None:
        """Send what has waited for room, and find out whether there is some."""
        pending = self._pending
        can_send = self._has_path and not self._again
        while pending and can_send and self._is_there and self._fits(len(pending[0][1])):
            self.instructions.append(Transmit(self.make_frame(*pending.popleft())))
        is_room = can_send and self.state is State.OPEN and not pending
        self.window = self._other.window_frames if is_room else 0

    @property
    def _is_there(self) -> bool:
        return self.state in {State.OPEN, State.CLOSING}

    # -- sending again --------------------------------------------------------------------------------------

    @property
    def _underway(self) -> int:
        """The number up to which frames went over the present path."""
        return self._again - 1 if self._again else self._sent

    def _send_again(self, now: float) -> None:
        """Begin to send again what is not acknowledged: little at first, and nothing new until it is through.

        The path may be slow, and may not last: what is behind a whole window, such as pings, would not get
        through before it breaks again, and nobody would learn of what did.
        """
        if self._has_path and self._unacked and now - self._resent_at >= _RESEND:
            self._resent_at = now
            self._again = self._acked + 1
            self._burst = _FIRST
            self.window = 0
            self._go_on()

    def _skip(self, acked: int) -> None:
        """Do not send again what has come; go on if all that went last has."""
        self._again = max(self._again, acked + 1)
        if acked >= self._goes_on_at:
            self._go_on()

    def _go_on(self) -> None:
        """Send the next of what is to go again, twice as much as the last time."""
        left = self._burst
        for frame, _ in islice(self._unacked, self._again - self._acked - 1, None):
            if left < len(frame) and left < self._burst:
                break
            left -= len(frame)
            self._again += 1
            self._counters.resent += 1
            self.instructions.append(Transmit(frame))
        self._burst *= 2
        self._goes_on_at = self._again - 1
        if self._again > self._sent:
            self._again = 0
            self._send_pending()

    def _say(self, kind: int, number: int = 0) -> None:
        if self._has_path:
            self._owed = 0
            self.instructions.append(Transmit(_pack(kind, self.own, self.peer, number, self._ack_sent)))

    def _forget(self, acked: int) -> None:
        take = self._unacked.popleft
        for _ in range(acked - self._acked):
            frame, item = take()
            size = len(frame)
            self._unacked_bytes -= size
            if item is not None and self._other.receipts:
                self.unconsumed.add(item, size)
        self._acked = acked

    def _credit(self, parameters: SessionParameters) -> DeliveryOutcome:
        """Believe what the other end says itself about how much it took before it gave this one up.

        Returns:
            What that means for the rest.
        """
        own, other, taken = parameters.previous or (0, 0, 0)
        if (own, other) != (self.peer, self.own) or taken > self._sent:
            return DeliveryOutcome.UNKNOWN
        if taken > self._acked:
            self._forget(taken)
        return DeliveryOutcome.UNDELIVERED

    def _give_back(self, reason: str, outcome: DeliveryOutcome) -> None:
        """Hand back all that is not known to have been taken.

        Args:
            reason: why.
            outcome: what is known of what was sent and not acknowledged.
        """
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
                self.instructions.append(Failed(items, reason, each))
