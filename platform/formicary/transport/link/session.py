"""One end of a link as a state machine: what happens goes in, what is to be done comes out; no I/O, no clock.

It numbers what it sends and keeps it until it is acknowledged, hands on each frame once and in order, knows
when the other end was restarted, and gives it up when it cannot be reached. `docs/link-protocol.md` is its
specification. What carries the frames is the link's business: it may lose, double and reorder them.

Here is what comes in, and what time brings; what goes out is in `sending`, beginning and end in `lifecycle`.
"""

from __future__ import annotations

from dataclasses import replace
from struct import error as StructError  # noqa: N812 -- it is a class
from typing import TYPE_CHECKING, Final

from formicary.transport.link.failure_detector import GIVE_UP
from formicary.transport.link.header import (
    ACK,
    BUSY,
    CLOSE,
    DATA,
    HEADER,
    HELLO,
    LOST,
    PART,
    PING,
    PONG,
    SIZE,
)
from formicary.transport.link.instructions import Counters, DeliveryOutcome, Doubt, Failed
from formicary.transport.link.lifecycle import Lifecycle
from formicary.transport.link.sending import NEVER, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.link.header import SessionParameters

__all__ = ["Session", "State"]

_COMPLAIN_AGAIN: Final = 0.1  # s between two times that the other end is told of a frame that is not taken
_COPIED: Final = 4096  # bytes of a frame up to which it costs less to copy it than to look into it

_unpack = HEADER.unpack_from


class Session(Lifecycle):
    """One end of a link.

    After each call, do what `instructions` says, in that order, and clear it. `now` is a time in seconds of a
    clock that does not jump, and goes on while this process stands still.

    Args:
        random: returns a new random number of 32 bits.
        parameters: what to tell the other end.

    Attributes:
        parts: what has come of a batch that comes in parts.
    """

    def __init__(self, random: Callable[[], int], parameters: SessionParameters) -> None:
        self.is_frozen = False
        """Whether acknowledgements are held back, so that the window fills and the other end waits."""
        # An acknowledgement is due after a quarter of the window: of its bytes, where each frame weighs its
        # share of the window more than it has, so that it is also one of its frames.
        self._share = parameters.window_bytes // parameters.window_frames
        self._ack_at = parameters.window_bytes // 4
        super().__init__(random, parameters)

    def _start(self) -> None:
        super()._start()
        self._held = 0  # bytes of those that were taken while acknowledgements are held back
        self._complained_at = NEVER  # when it was told last that a frame is missing, or will not be taken
        self.parts = bytearray()

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def rtt(self) -> float | None:
        """Seconds that the latest ping took to be answered; None before there was one."""
        return self._detector.rtt

    @property
    def is_away(self) -> bool:
        """Whether the other end was not there when something came to it last."""
        return self._detector.is_away

    @property
    def counters(self) -> Counters:
        """What was counted up to now, in all sessions."""
        counters = self._counters
        return replace(counters, sent=counters.sent + self._sent, received=counters.received + self._received)

    # -- paths ----------------------------------------------------------------------------------------------

    def use_path(self, now: float, *, there_is_one: bool = True) -> None:
        """Called when frames take another path from now on, or when there is none for now.

        What is not acknowledged goes again, over the new path, behind a ping: the old one may have lost it.
        """
        self._has_path = there_is_one
        self._detector.change_path()
        if self.state is State.HANDSHAKE and there_is_one:
            self._greet(now)
        self._resent_at = NEVER
        self._again = 0
        self.ask(now)
        self._send_again(now)
        self._send_pending()

    # -- receiving ------------------------------------------------------------------------------------------

    def receive(self, frame: bytes, now: float) -> bytes | memoryview | None:
        """Take a frame.

        Returns:
            A batch that has now come as a whole, if one has.

        Raises:
            ValueError: the frame is none, or breaks the protocol; it has changed nothing.
        """
        try:
            kind, sender, receiver, number, acked = _unpack(frame)
        except StructError as error:
            raise ValueError(f"not a frame: {len(frame)} bytes are no header") from error
        if (
            kind != DATA
            or number != self._received + 1
            or sender != self.peer
            or receiver != self.own
            or now > self._takes_until
            or self.parts
        ):
            return self._receive_unusual(frame, now)
        size = len(frame)
        if self.is_frozen:
            self._check_window(number, size)
        if acked != self._acked:
            self._acknowledge(acked)
        self._detector.heard_at = now
        self._received = number
        if self.is_frozen:
            self._held += size
        else:
            self._ack_sent = number
        self._owed += size + self._share
        if self._owed >= self._ack_at:
            self._say(ACK)
        return frame[SIZE:] if size <= _COPIED else memoryview(frame)[SIZE:]

    def _receive_unusual(self, frame: bytes, now: float) -> memoryview | None:
        """Take what is not simply the next batch."""
        kind, sender, receiver, number, acked = _unpack(frame)
        if not HELLO <= kind <= BUSY:
            raise ValueError(f"a frame of an unknown kind: {kind}")
        if kind == HELLO:
            self._receive_hello(frame, now)
        elif sender != self.peer or receiver != self.own or not sender:
            self._receive_strange(kind, now)
        else:
            if number == self._received + 1 and (kind == PART or (kind == DATA and self.parts)):
                self._check_size(len(frame) - SIZE)
            if self.is_frozen and number == self._received + 1 and kind in {DATA, PART}:
                self._check_window(number, len(frame))
            self._acknowledge(acked)
            self._detector.heard_at = now
            if not self.peer:
                return None  # that was the last that was waited for
            if kind not in {DATA, PART}:
                self._receive_control(kind, number, now)
            elif number == self._received + 1 and now <= self._takes_until:
                return self._take(frame, kind)
            else:
                self._receive_out_of_turn(number, now)
        return None

    def _receive_strange(self, kind: int, now: float) -> None:
        """Take a frame that is not of this session."""
        self._counters.strange += 1
        if kind in {DATA, PART}:
            self._has_refused = True
        if self.state is not State.CLOSED:
            self._challenge(now)

    def _check_size(self, size: int) -> None:
        """Refuse a part with which what is put together would not be bounded."""
        if len(self.parts) + size > self.parameters.message_limit:
            raise ValueError(f"a batch of more than {self.parameters.message_limit} bytes")

    def _check_window(self, number: int, size: int) -> None:
        """Refuse a frame that the window does not allow, where nothing is acknowledged."""
        frames = number - self._ack_sent
        if frames > self.parameters.window_frames or (
            frames > 1 and self._held + size > self.parameters.window_bytes
        ):
            raise ValueError(f"frame {number}, where the window ends before")

    def _take(self, frame: bytes, kind: int) -> memoryview | None:
        self._received += 1
        if self.is_frozen:
            self._held += len(frame)
        else:
            self._ack_sent = self._received
        self._owed += len(frame) + self._share
        if self._owed >= self._ack_at:
            self._say(ACK)
        self.parts += memoryview(frame)[SIZE:]
        if kind == PART:
            return None
        batch, self.parts = self.parts, bytearray()
        return memoryview(batch)

    def _receive_out_of_turn(self, number: int, now: float) -> None:
        if number <= self._received:
            self._counters.duplicates += 1
            self._owed += 1  # the acknowledgement may have been lost
        elif self.state is State.CLOSING:
            if self._may_complain(now):
                self._say(CLOSE)  # without a number: it will not be taken
        elif now > self._takes_until:
            self._has_refused = True
            self._challenge(now)  # it may have given us up, and told its senders so
        else:
            self._counters.early += 1
            if self._may_complain(now):
                self._say(LOST)

    def _may_complain(self, now: float) -> bool:
        if now - self._complained_at < _COMPLAIN_AGAIN:
            return False
        self._complained_at = now
        return True

    def _receive_control(self, kind: int, number: int, now: float) -> None:
        if kind == PING:
            if not self._detector.is_mute(now):
                self._say(BUSY if self.is_frozen else PONG, number)
            if self._has_path and self._detector.is_lost(now):
                self._ping(now)  # as it is there now
        elif kind in {PONG, BUSY}:
            self._receive_pong(kind, number, now)
        elif kind == LOST:
            self._send_again(now)
        elif kind == CLOSE and number == self._received + 1:
            self._received = self._ack_sent = number
            self._say(ACK)
            self.end("it has stopped", DeliveryOutcome.UNDELIVERED)
        elif kind == CLOSE and self.state is State.CLOSING:
            self._say(CLOSE)  # neither takes anything more, so neither will get what is on its way
            self.end("it has stopped", DeliveryOutcome.UNDELIVERED)
        elif kind == CLOSE:
            self._receive_out_of_turn(number, now)

    def _receive_pong(self, kind: int, number: int, now: float) -> None:
        should_have = self._detector.pong(number, now)
        if should_have is not None:
            self._confirm()
            if kind == PONG and self._acked < should_have:  # it is there, and what went before is not
                self._send_again(now)
            elif self._again:
                self._go_on()

    def _acknowledge(self, acked: int) -> None:
        """Forget the frames up to a number, as they have come."""
        if acked > self._sent:
            raise ValueError(f"an acknowledgement of frame {acked}, while {self._sent} were sent")
        if acked > self._acked:
            self._forget(acked)
            self._detector.waiting_since = None
            if self._again:
                self._skip(acked)
            elif self._pending:
                self._send_pending()
            if self.state is State.CLOSING and not (self._unacked or self._pending):
                self.end("it has stopped")

    def freeze(self, *, is_frozen: bool) -> None:
        """Hold acknowledgements back, so that the window fills and the other end waits; or no longer."""
        self.is_frozen = is_frozen
        self._held = 0
        if not is_frozen and self._ack_sent < self._received:
            self._ack_sent = self._received
            self._owed += 1
            self._say(ACK)

    # -- time -----------------------------------------------------------------------------------------------

    def tick(self, now: float, *, holds: bool = False) -> None:
        """Do what is due.

        To be called every second; a few times in one while `is_away`, every few hundredths while `is_busy`.

        Args:
            now: the time.
            holds: whether more waits outside, for a path.
        """
        is_in_handshake = self.state is State.HANDSHAKE
        waits = self._unacked or self._pending or is_in_handshake or holds or len(self.unconsumed)
        self._detector.tick(now, is_waiting=bool(waits))
        if not (self.peer or is_in_handshake):
            return
        reason = self._detector.reason_to_give_up(now)
        if reason is not None:
            self.end(reason)
        elif self._has_path and is_in_handshake:
            if self._handshake.is_hello_due(now):
                self._greet(now)
        elif self._has_path:
            if self._owed:
                self._say(ACK)
            if self.unconsumed.is_full:
                self._relieve(now)
            if self._detector.is_ping_due(now):
                if self._detector.has_doubt(now):
                    self.instructions.append(Doubt())
                self._ping(now)

    def acknowledge(self) -> None:
        """Acknowledge now what has come, rather than with what is sent next."""
        if self._owed and not self.is_frozen:
            self._say(ACK)

    def _relieve(self, now: float) -> None:
        """Where too much has arrived that nobody takes, wait for a while, and then let it fail."""
        unconsumed = self.unconsumed
        if unconsumed.full_since is None:
            unconsumed.full_since = now
        elif now - unconsumed.full_since > GIVE_UP:
            count = len(unconsumed)
            batches = unconsumed.withdraw(count // 2)
            reason = f"none of {count} messages was taken there for {GIVE_UP:g} s"
            self.instructions.append(Failed(batches, reason, DeliveryOutcome.DELIVERED))

    def ask(self, now: float) -> None:
        """Ask for a sign of life now, unless one is awaited: the present path may be at fault."""
        if self.peer and self._has_path and not self._detector.is_asking:
            self._ping(now)

    def _ping(self, now: float) -> None:
        self._say(PING, self._detector.ping(now, self._underway))
