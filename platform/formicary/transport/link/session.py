"""One end of a link as a state machine: events in, instructions out; no I/O, no clock.

It numbers what it sends and keeps it until it is acknowledged, passes on each frame once and in order,
notices when the other end was restarted, and gives it up when it cannot be reached. `docs/link-protocol.md`
is its specification. The link chooses the path, which may lose, double and reorder frames.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace as replace_fields

from formicary.transport.link.failure_detector import FailureDetector
from formicary.transport.link.handshake import Handshake, disagreement
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
    read_parameters,
)
from formicary.transport.link.instructions import (
    Counters,
    DeliveryOutcome,
    Doubt,
    Ended,
    Opened,
    Transmit,
)
from formicary.transport.link.receive_window import ReceiveWindow
from formicary.transport.link.send_window import NEVER, SendWindow

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.link.header import SessionParameters
    from formicary.transport.link.instructions import Instruction

_unpack = HEADER.unpack_from


class State(Enum):
    """The states of one end of a link."""

    IDLE = "idle"
    HANDSHAKE = "handshake"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


class Session:
    """One end of a link.

    After each call, perform what `take_instructions` returns, in that order. `now` is in seconds, of a clock
    that neither jumps nor stops with this process. `random` returns a random number of 32 bits.

    Attributes:
        sending: the sending half.
        receiving: the receiving half.
        send: numbers and keeps a payload; as of `SendWindow`.
        receive: processes a frame; as of `ReceiveWindow`.
        unconsumed: what has arrived, and is not known to be taken.
    """

    make_sending: ClassVar[type[SendWindow]] = SendWindow
    make_receiving: ClassVar[type[ReceiveWindow]] = ReceiveWindow

    def __init__(self, random: Callable[[], int], parameters: SessionParameters) -> None:
        self.parameters = parameters
        self.state = State.IDLE
        self.instructions: list[Instruction] = []
        self._counters = Counters()
        self._handshake = Handshake(random, parameters)
        self._detector = FailureDetector()
        own = self._handshake.new_number()
        self.sending = self.make_sending(own, parameters, self.instructions, self._counters)
        self.send = self.sending.send
        self.unconsumed = self.sending.unconsumed
        self.receiving = self.make_receiving(
            parameters,
            self.sending,
            self._detector,
            acknowledge=self._acknowledge,
            receive_unusual=self._receive_unusual,
        )
        self.receive = self.receiving.receive
        self._answered = 0  # the question of the other end whose answer begins its session

    def _start(self) -> None:
        """Begin a session: nothing sent, nothing received."""
        self.sending.start()
        self._counters.received += self.receiving.received
        self.receiving.start()
        self._answered = 0

    # -- what is known --------------------------------------------------------------------------------------

    def take_instructions(self) -> list[Instruction]:
        """Return the instructions to perform now, in this order."""
        instructions = self.instructions[:]
        self.instructions.clear()
        return instructions

    @property
    def is_open(self) -> bool:
        """Whether the other end is there."""
        return self.state is State.OPEN

    @property
    def incarnations(self) -> tuple[int, int]:
        """The incarnations of this end and the other, 0 without a session."""
        return self.sending.own, self.sending.peer

    @property
    def unacknowledged(self) -> int:
        """How many frames wait for an acknowledgement, or for room."""
        return self.sending.unacknowledged

    @property
    def is_busy(self) -> bool:
        """Whether one end waits for the other."""
        return not self.sending.is_empty or self.sending.owed > 0 or self.state is State.HANDSHAKE

    @property
    def is_away(self) -> bool:
        """Whether the other end was away when last tried."""
        return self._detector.is_away

    @property
    def rtt(self) -> float | None:
        """Seconds that the latest ping took to be answered; None before there was one."""
        return self._detector.rtt

    @property
    def counters(self) -> Counters:
        """The counts of all sessions until now."""
        counters = self._counters
        return replace(
            counters,
            sent=counters.sent + self.sending.sent,
            received=counters.received + self.receiving.received,
        )

    # -- handshake ------------------------------------------------------------------------------------------

    def connect(self, now: float) -> None:
        """Start looking for the other end, if there is no session."""
        if self.state is State.IDLE:
            self.state = State.HANDSHAKE
            self._detector.start(now, now)
            self._detector.tick(now, is_waiting=True)
            if self.sending.has_path:
                self._greet(now)

    def _greet(self, now: float) -> None:
        self.instructions.append(Transmit(self._handshake.greet(self.sending.own, now)))

    def remind(self, now: float) -> None:
        """Repeat the hello that began the session, as it may be lost, if there is no path yet."""
        if self.is_open and self._answered and not self.sending.has_path and self._handshake.is_fresh(now):
            self._hello(now, to=self.sending.peer, asks=False, echo=self._answered)

    def _challenge(self, now: float) -> None:
        """Ask who is there, but not too often."""
        if self.sending.has_path and self._handshake.may_challenge(now):
            self._hello(now, to=0, asks=True)

    def _hello(self, now: float, *, to: int, asks: bool, echo: int = 0) -> None:
        hello = self._handshake.write(self.sending.own, to, now, asks=asks, echo=echo)
        self.instructions.append(Transmit(hello))

    def _receive_hello(self, frame: bytes, now: float) -> None:
        _, sender, receiver, asks, echo = _unpack(frame)
        parameters = read_parameters(memoryview(frame)[SIZE:])
        if not sender:
            raise ValueError("a hello from incarnation 0")
        if self.state is State.CLOSED:
            return
        # Only an answer to this end's question shows that its sender is there now: all else may be old.
        is_answer = receiver == self.sending.own and self._handshake.is_answer(echo)
        if sender != self.sending.peer:
            self._receive_newcomer(sender, asks, parameters, now, is_answer=is_answer)
            return
        self._detector.heard_at = now
        if is_answer:
            self._detector.confirm(self._handshake.asked_at)
            self._confirm()
        if asks and not self._detector.is_mute(now):
            self._hello(now, to=sender, asks=False, echo=asks)

    def _receive_newcomer(
        self, sender: int, asks: int, parameters: SessionParameters, now: float, *, is_answer: bool
    ) -> None:
        """Process a hello of an incarnation other than the present one, newer or older."""
        objection = disagreement(parameters)
        if is_answer and (objection or self.state is State.CLOSING):
            outcome = self.sending.credit(parameters.previous)
            self.end(objection or "it was restarted", outcome)
        elif is_answer:
            self._open(sender, parameters, now)
        if self.state is State.CLOSING:
            self._challenge(now)  # without an answer, after which it would begin a session
        elif asks and self.state is not State.CLOSED:
            self._hello(now, to=sender, asks=not is_answer, echo=asks)
            if is_answer:
                self._answered = asks
        if self.sending.peer == sender:  # after the answer, which must arrive before what follows
            self.instructions.append(Opened(parameters))
            self._confirm()
            self.sending.refuse_large()
            self.sending.send_pending()

    def _open(self, peer: int, parameters: SessionParameters, now: float) -> None:
        """Begin a session with an end that is there."""
        if self.sending.peer:
            outcome = self.sending.credit(parameters.previous)
            self.sending.give_back("it was restarted, or had given up on this container", outcome)
        self._start()
        self.sending.peer = peer
        # This end keeps what is not acknowledged, so its own window counts, too.
        own = self.parameters
        self.sending.other = replace_fields(
            parameters,
            window_frames=min(parameters.window_frames, own.window_frames),
            window_bytes=min(parameters.window_bytes, own.window_bytes),
            receipts=parameters.receipts and own.receipts,
            offer=None,
            previous=None,
        )
        self.state = State.OPEN
        self._detector.start(now, self._handshake.asked_at)

    def _confirm(self) -> None:
        """Extend the lease, as the other end has answered."""
        if self.state is State.OPEN:
            self.receiving.confirm(self._detector.lease_end)

    # -- receiving ------------------------------------------------------------------------------------------

    def _receive_unusual(self, frame: bytes, now: float) -> memoryview | None:
        """Process any frame that is not simply the next batch."""
        kind, sender, receiver, number, acked = _unpack(frame)
        if not HELLO <= kind <= BUSY:
            raise ValueError(f"a frame of an unknown kind: {kind}")
        if kind == HELLO:
            self._receive_hello(frame, now)
        elif (receiver, sender) != self.incarnations or not sender:
            self._receive_strange(kind, now)
        else:
            self.receiving.check(kind, number, len(frame))
            self._acknowledge(acked)
            self._detector.heard_at = now
            if not self.sending.peer:
                return None  # that was the last that was waited for
            if kind not in {DATA, PART}:
                self._receive_control(kind, number, now)
            elif self.receiving.is_due(number, now):
                return self.receiving.take(frame, kind)
            else:
                self._receive_out_of_turn(number, now)
        return None

    def _receive_strange(self, kind: int, now: float) -> None:
        """Count a frame of another session, and ask who is there."""
        self._counters.strange += 1
        if kind in {DATA, PART}:
            self.receiving.has_refused = True
        if self.state is not State.CLOSED:
            self._challenge(now)

    def _receive_out_of_turn(self, number: int, now: float) -> None:
        if number <= self.receiving.received:
            self._counters.duplicates += 1
            self.sending.owed += 1  # the acknowledgement may have been lost
        elif self.state is State.CLOSING:
            self.receiving.complain(CLOSE, now)  # number 0: the frame will not be taken
        elif now > self.receiving.takes_until:
            self.receiving.has_refused = True
            self._challenge(now)  # it may have given this end up, and told its senders
        else:
            self._counters.early += 1
            self.receiving.complain(LOST, now)

    def _receive_control(self, kind: int, number: int, now: float) -> None:
        if kind == PING:
            if not self._detector.is_mute(now):
                self.sending.say(BUSY if self.receiving.is_frozen else PONG, number)
            if self.sending.has_path and self._detector.is_lost(now):
                self._ping(now)
        elif kind in {PONG, BUSY}:
            self._receive_pong(kind, number, now)
        elif kind == LOST:
            self.sending.send_again(now)
        elif kind == CLOSE and number == self.receiving.received + 1:
            self.receiving.received = self.sending.received = number
            self.sending.say(ACK)
            self._stop(DeliveryOutcome.UNDELIVERED)
        elif kind == CLOSE and self.state is State.CLOSING:
            self.sending.say(CLOSE)  # neither end takes what is under way
            self._stop(DeliveryOutcome.UNDELIVERED)
        elif kind == CLOSE:
            self._receive_out_of_turn(number, now)

    def _receive_pong(self, kind: int, number: int, now: float) -> None:
        should_have = self._detector.pong(number, now)
        if should_have is not None:
            self._confirm()
            if kind == PONG and self.sending.acked < should_have:  # what went before the ping was lost
                self.sending.send_again(now)
            elif self.sending.is_resending:
                self.sending.proceed()

    def _acknowledge(self, acked: int) -> None:
        if self.sending.acknowledge(acked):
            self._detector.waiting_since = None
            if self.state is State.CLOSING and self.sending.is_empty:
                self._stop()

    # -- paths and time -------------------------------------------------------------------------------------

    def use_path(self, now: float, *, there_is_one: bool = True) -> None:
        """Switch to another path, or to none.

        What is not acknowledged goes again, behind a ping, as the old path may have lost it.
        """
        self.sending.use_path(there_is_one=there_is_one)
        self._detector.change_path()
        if self.state is State.HANDSHAKE and there_is_one:
            self._greet(now)
        self.ask(now)
        self.sending.send_again(now)
        self.sending.send_pending()

    def ask(self, now: float) -> None:
        """Send a ping now, unless one is unanswered."""
        if self.sending.peer and self.sending.has_path and not self._detector.is_asking:
            self._ping(now)

    def _ping(self, now: float) -> None:
        self.sending.say(PING, self._detector.ping(now, self.sending.underway))

    def tick(self, now: float, *, holds: bool = False) -> None:
        """Do what is due; `holds` is whether messages wait elsewhere for a path.

        Call this every second; every 0.25 s while `is_away`, every 0.02 s while `is_busy`.
        """
        is_in_handshake, sending = self.state is State.HANDSHAKE, self.sending
        waits = not sending.is_empty or is_in_handshake or holds or len(self.unconsumed) > 0
        self._detector.tick(now, is_waiting=waits)
        if not (sending.peer or is_in_handshake):
            return
        reason = self._detector.reason_to_give_up(now)
        if reason is not None:
            self.end(reason)
        elif sending.has_path and is_in_handshake:
            if self._handshake.is_hello_due(now):
                self._greet(now)
        elif sending.has_path:
            if sending.owed:
                sending.say(ACK)
            if self.unconsumed.is_full:
                sending.relieve(now)
            if self._detector.is_ping_due(now):
                if self._detector.has_doubt(now):
                    self.instructions.append(Doubt())
                self._ping(now)

    # -- the end --------------------------------------------------------------------------------------------

    def lose(self, now: float, reason: str) -> None:
        """Assume that the other end is away."""
        if self.state is State.HANDSHAKE:
            self.end(reason)
        elif self.sending.peer:
            self._detector.lose(now)

    def close(self) -> None:
        """Begin to close: accept nothing more; `state` becomes CLOSED later."""
        if self.state is State.OPEN:
            self.state = State.CLOSING
            self.receiving.takes_until = NEVER
            self.sending.received = self.receiving.received  # nothing more is withheld
            self.sending.send_last(CLOSE)
        elif self.state in {State.IDLE, State.HANDSHAKE}:
            self.abandon("this container has stopped")

    def abandon(self, reason: str) -> None:
        """End at once: what has not been acknowledged fails."""
        self.state = State.CLOSED
        self.sending.is_stopped = True
        self.end(reason)

    def _stop(self, outcome: DeliveryOutcome = DeliveryOutcome.UNKNOWN) -> None:
        """End as agreed with the other end; argument as of `end`."""
        if self.state is State.CLOSING:
            self.unconsumed.clear()  # the other end continues, and reports its own failures
        self.end("it has stopped", outcome)

    def end(self, reason: str, outcome: DeliveryOutcome = DeliveryOutcome.UNKNOWN) -> None:
        """Give up the other end, and take a new incarnation.

        `outcome` is what is known of what was sent and not acknowledged.
        """
        sending = self.sending
        if self.receiving.received:
            self._handshake.previous = (*self.incarnations, self.receiving.received)
        sending.give_back(reason, outcome)
        if self.state is not State.CLOSED:
            self.state = State.CLOSED if self.state is State.CLOSING else State.IDLE
            self.instructions.append(Ended(reason))
        self._start()
        self.receiving.has_refused = False
        sending.peer = 0
        sending.own = self._handshake.new_number()
        self._handshake.forget()
