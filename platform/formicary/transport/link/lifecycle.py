"""How a session begins and ends: what an end does about hellos, closes and giving up.

All that changes a session's `state` is here. What hellos say, and whether one is an answer, is `handshake`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace as replace_fields

from formicary.transport.link.failure_detector import FailureDetector
from formicary.transport.link.handshake import Handshake, disagreement
from formicary.transport.link.header import CLOSE, HEADER, LOST, SIZE, read_parameters
from formicary.transport.link.instructions import DeliveryOutcome, Ended, Opened, Transmit
from formicary.transport.link.sending import NEVER, Sending, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.link.header import SessionParameters

_unpack = HEADER.unpack_from


class Lifecycle(Sending):
    """What a session knows and does about the other end's coming and going.

    Args:
        random: returns a new random number of 32 bits.
        parameters: what to tell the other end.
    """

    def __init__(self, random: Callable[[], int], parameters: SessionParameters) -> None:
        self._handshake = Handshake(random, parameters)
        self._detector = FailureDetector()
        self._received = 0
        super().__init__(self._handshake.new_number(), parameters)

    def _start(self) -> None:
        """Begin a session: nothing sent, nothing received."""
        super()._start()
        self._counters.received += self._received
        self._received = 0  # the number of the latest frame that was taken
        self._takes_until = NEVER  # the end of the lease, where the session is open
        self._answered = 0  # the other end's question whose answer lets it begin the session, too
        self._has_refused = False  # whether something came that was not taken, and has to come again

    # -- looking for the other end --------------------------------------------------------------------------

    def connect(self, now: float) -> None:
        """Look for the other end, if that has not been found yet."""
        if self.state is State.IDLE:
            self.state = State.HANDSHAKE
            self._detector.start(now, now)
            self._detector.tick(now, is_waiting=True)
            if self._has_path:
                self._greet(now)

    def _greet(self, now: float) -> None:
        self.instructions.append(Transmit(self._handshake.greet(self.own, now)))

    def remind(self, now: float) -> None:
        """Say again what began the session, if there is no path yet: it may not have come."""
        if self.is_open and self._answered and not self._has_path and self._handshake.is_fresh(now):
            self._hello(now, to=self.peer, asks=False, echo=self._answered)

    def _challenge(self, now: float) -> None:
        """Ask who is there now, but not too often."""
        if self._has_path and self._handshake.may_challenge(now):
            self._hello(now, to=0, asks=True)

    def _hello(self, now: float, *, to: int, asks: bool, echo: int = 0) -> None:
        hello = self._handshake.write(self.own, to, now, asks=asks, echo=echo)
        self.instructions.append(Transmit(hello))

    # -- beginning ------------------------------------------------------------------------------------------

    def _receive_hello(self, frame: bytes, now: float) -> None:
        _, sender, receiver, asks, echo = _unpack(frame)
        parameters = read_parameters(memoryview(frame)[SIZE:])
        if not sender:
            raise ValueError("a hello of nobody")
        if self.state is State.CLOSED:
            return
        # Only the answer to our own question shows that who says so is there now: anything else may be old.
        is_answer = receiver == self.own and self._handshake.is_answer(echo)
        if sender != self.peer:
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
        """Take a hello of another incarnation than the present one: a later one, or an earlier one's."""
        objection = disagreement(parameters)
        if is_answer and (objection or self.state is State.CLOSING):
            outcome = self._credit(parameters)
            self.end(objection or "it was restarted", outcome)
        elif is_answer:
            self._open(sender, parameters, now)
        if self.state is State.CLOSING:
            self._challenge(now)  # but give it no answer: it would take this end to be there for it
        elif asks and self.state is not State.CLOSED:
            self._hello(now, to=sender, asks=not is_answer, echo=asks)
            if is_answer:
                self._answered = asks
        if self.peer == sender:  # after the answer, so that the other end is there when it gets what follows
            self._announce(parameters)

    def _open(self, peer: int, parameters: SessionParameters, now: float) -> None:
        """Begin a session with an end that is there now."""
        if self.peer:
            outcome = self._credit(parameters)
            self._give_back("it was restarted, or had given up on this container", outcome)
        has_refused = self._has_refused
        self._start()
        self._has_refused = has_refused
        self.peer = peer
        # No more than this end has room for itself: what is not acknowledged is kept. The rest is not needed.
        own = self.parameters
        self._other = replace_fields(
            parameters,
            window_frames=min(parameters.window_frames, own.window_frames),
            window_bytes=min(parameters.window_bytes, own.window_bytes),
            offer=None,
            previous=None,
        )
        self.state = State.OPEN
        self._detector.start(now, self._handshake.asked_at)

    def _announce(self, parameters: SessionParameters) -> None:
        self.instructions.append(Opened(parameters))
        self._confirm()
        if any(len(payload) > self.frame_limit for _, payload, _ in self._pending):
            self._give_back(
                "it only takes smaller frames, which was not known when they were created",
                DeliveryOutcome.UNDELIVERED,
            )
        self._send_pending()

    def _confirm(self) -> None:
        """Take messages for longer, as the other end has answered."""
        if self.state is State.OPEN:
            self._takes_until = self._detector.lease_end
            if self._has_refused:
                self._has_refused = False
                self._say(LOST)

    # -- the end --------------------------------------------------------------------------------------------

    def lose(self, now: float, reason: str) -> None:
        """Called when a frame came back, as the other end was not there."""
        if self.state is State.HANDSHAKE:
            self.end(reason)
        elif self.peer:
            self._detector.lose(now)

    def close(self) -> None:
        """Tell the other end that this one stops: nothing more is taken; it ends with `state` CLOSED."""
        if self.state is State.OPEN:
            self.state = State.CLOSING
            self._takes_until = NEVER
            self._ack_sent = self._received  # nothing more comes that could be held back
            self._pending.append((CLOSE, b"", None))
            self._send_pending()
        elif self.state in {State.IDLE, State.HANDSHAKE}:
            self.abandon("this container has stopped")

    def abandon(self, reason: str) -> None:
        """End at once: what has not been acknowledged fails."""
        self.state = State.CLOSED
        self.end(reason)

    def end(self, reason: str, outcome: DeliveryOutcome = DeliveryOutcome.UNKNOWN) -> None:
        """Forget the other end; whoever comes next is another, and so is this one to it.

        Args:
            reason: why.
            outcome: what is known of what was sent and not acknowledged.
        """
        self._remember()
        if self.state is State.CLOSING:
            self.unconsumed.clear()  # it goes on at the other end, which tells what becomes of it
        self._give_back(reason, outcome)
        if self.state is not State.CLOSED:
            self.state = State.CLOSED if self.state is State.CLOSING else State.IDLE
            self.instructions.append(Ended(reason))
        self._start()
        self.peer = 0
        self.own = self._handshake.new_number()
        self._handshake.forget()

    def _remember(self) -> None:
        if self._received:
            self._handshake.previous = (self.own, self.peer, self._received)
