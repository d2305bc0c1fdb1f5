"""One end of a link as a state machine: what happens goes in, what is to be done comes out; no I/O, no clock.

It numbers what it sends and keeps it until it is acknowledged, hands on each frame once and in order, knows
when the other end was restarted, and gives it up when it cannot be reached. `docs/link-protocol.md` is its
specification. What carries the frames is the link's business: it may lose, double and reorder them.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import msgspec

from formicary.transport.header import (
    ACK,
    BUSY,
    CLOSE,
    DATA,
    HEADER,
    HELLO,
    LOST,
    LOWEST_VERSION,
    PART,
    PING,
    PONG,
    SIZE,
    VERSION,
    Terms,
    read_header,
    read_terms,
    write_terms,
)
from formicary.transport.instructions import Counters, Doubt, Ended, Failed, Opened, Transmit

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.instructions import Instruction

GRACE: Final = 3.0
"""Seconds after which an end that is known to be away is given up."""
GIVE_UP: Final = 30.0
"""Seconds after which an end is given up that is silent though something waits for it."""
_LEASE = GIVE_UP - 5.0  # s in which the other end is sure not to have given us up
_PROBE = 1.0  # s without an answer after which to ask for one
_PROBE_AWAY = 0.25  # the same where it is known to be away
_KEEP_ALIVE = 10.0  # s between pings where there is nothing to send
_STANDSTILL = 5.0  # s without a tick that show that this process was stopped
_GREET_AGAIN = 0.1  # s between hellos to whoever writes to somebody that is not there any more

_pack = HEADER.pack


class State(Enum):
    """Where an end of a link is in its life."""

    IDLE = "idle"
    GREETING = "greeting"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


class Session:
    """One end of a link.

    After each call, do what `instructions` says, in that order, and clear it. `now` is a time in seconds of a
    clock that does not jump.

    Args:
        random: returns a new random number of 32 bits.
        terms: what to tell the other end.
    """

    def __init__(self, random: Callable[[], int], terms: Terms) -> None:
        self._random = random
        self.terms = terms
        self.state = State.IDLE
        self.instructions: list[Instruction] = []
        self.counters = Counters()
        self.rtt: float | None = None
        self.is_frozen = False
        """Whether acknowledgements are held back, so that the window fills and the other end waits."""
        self._other = Terms()  # the other end's
        self._own = self._new_number()
        self._nonce = 0  # what the answer to our hello has to give back; 0 where none is awaited
        self._nonce_at = 0.0
        self._next_greeting = 0.0
        self._has_way = False
        self._heard_at = 0.0
        self._waiting_since: float | None = (
            None  # since when something waits for the other end, in vain so far
        )
        self._absent_since: float | None = None
        self._confirmed_at = 0.0  # when we sent the latest frame that the other end is known to have got
        self._ping = 0
        self._pinged_at: float | None = None  # when the ping was sent that is not answered yet
        self._pinged_again_at = 0.0
        self._pinged_up_to = 0
        self._asked_at = float("-inf")
        self._ticked_at = 0.0
        self._previous: tuple[int, int, int] | None = None
        self._start()

    def _new_number(self) -> int:
        return self._random() or 1

    def _start(self) -> None:
        """Begin a session: nothing sent, nothing received."""
        self._peer = 0
        self._sent = self._acked = 0
        self._received = self._told = 0  # the latest frame taken, and the latest that is acknowledged
        self._unacked: deque[tuple[bytes, Any]] = deque()  # of the numbers after `_acked`
        self._unacked_bytes = 0
        self._pending: deque[tuple[int, bytes, Any]] = deque()  # for which the window has no room yet
        self._owed = self._owed_bytes = 0  # what came in since anything told the other end so
        self._parts: list[bytes | memoryview] = []
        self._parts_bytes = 0

    # -- what is known --------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the other end is there."""
        return self.state is State.OPEN

    @property
    def has_room(self) -> bool:
        """Whether what is sent now goes out at once."""
        return self.state is State.OPEN and not self._pending and self._fits(0)

    @property
    def incarnations(self) -> tuple[int, int]:
        """This end's number and the other's, 0 where that is not known."""
        return self._own, self._peer

    @property
    def unacknowledged(self) -> int:
        """How many frames wait for an acknowledgement, or for room."""
        return len(self._unacked) + len(self._pending)

    @property
    def is_busy(self) -> bool:
        """Whether something waits for the other end, or the other end for us."""
        return bool(self._unacked or self._pending or self._owed or self.state is State.GREETING)

    @property
    def frame_limit(self) -> int:
        """Bytes of the largest payload that a frame to the other end may have."""
        return min(self.terms.frame_limit, self._other.frame_limit) - SIZE

    @property
    def message_limit(self) -> int:
        """Bytes of the largest batch of one message that the other end takes."""
        return min(self.terms.message_limit, self._other.message_limit)

    # -- ways -----------------------------------------------------------------------------------------------

    def use_way(self, now: float, *, there_is_one: bool = True) -> None:
        """Learn that from now on frames go another way, or that there is none for now.

        What is not acknowledged goes again, over the new way: the old one may have lost it.
        """
        self._has_way = there_is_one
        self._pinged_at = self._absent_since = None
        if not there_is_one:
            return
        if self.state is State.GREETING:
            self._greet(now)
        elif self._peer:
            self._send_again()
            self._send_pending()

    def lose(self, now: float, reason: str) -> None:
        """Learn that the other end was not there when a frame came to it."""
        if self.state is State.GREETING:
            self._end(reason)
        elif self.state in {State.OPEN, State.CLOSING} and self._absent_since is None:
            self._absent_since = now

    # -- sending --------------------------------------------------------------------------------------------

    def connect(self, now: float) -> None:
        """Look for the other end, if that has not been found yet."""
        if self.state is State.IDLE:
            self.state = State.GREETING
            self._waiting_since = self._ticked_at = now
            if self._has_way:
                self._greet(now)

    def send(self, payload: bytes, item: Any, now: float, kind: int = DATA) -> bytes | None:
        """Number a payload, and keep it until it is acknowledged.

        Args:
            payload: a batch, or a part of one.
            item: what is given back if it fails.
            now: the time.
            kind: `PART` where more of the batch follows.

        Returns:
            The frame to send over the present way; None where it has to wait.
        """
        if self._pending or self.state is not State.OPEN or not self._fits(len(payload)):
            self._pending.append((kind, payload, item))
            return None
        if self._waiting_since is None:
            self._waiting_since = now
        return self._make(kind, payload, item)

    def _fits(self, size: int) -> bool:
        other = self._other
        unacked = self._unacked
        return self._has_way and (
            not unacked
            or (len(unacked) < other.window_frames and self._unacked_bytes + size <= other.window_bytes)
        )

    def _make(self, kind: int, payload: bytes, item: Any) -> bytes:
        self._sent = number = self._sent + 1
        frame = _pack(kind, self._own, self._peer, number, self._told) + payload
        self._unacked.append((frame, item))
        self._unacked_bytes += len(frame)
        self._owed = self._owed_bytes = 0
        self.counters.sent += 1
        return frame

    def _send_pending(self) -> None:
        pending = self._pending
        if not pending or self.state not in {State.OPEN, State.CLOSING}:
            return
        while pending and self._fits(len(pending[0][1])):
            self.instructions.append(Transmit(self._make(*pending.popleft())))

    def _send_again(self) -> None:
        self.counters.resent += len(self._unacked)
        self.instructions += [Transmit(frame) for frame, _ in self._unacked]

    def _say(self, kind: int, number: int = 0) -> None:
        self._owed = self._owed_bytes = 0
        self.instructions.append(Transmit(_pack(kind, self._own, self._peer, number, self._told)))

    def freeze(self, *, is_frozen: bool) -> None:
        """Hold acknowledgements back, so that the window fills and the other end waits; or no longer."""
        self.is_frozen = is_frozen
        if not is_frozen and self._told < self._received:
            self._told = self._received
            self._say(ACK)

    # -- receiving ------------------------------------------------------------------------------------------

    def receive(self, frame: bytes, now: float) -> bytes | memoryview | None:
        """Take a frame.

        Returns:
            A batch that has now come as a whole, if one has.

        Raises:
            ValueError: the frame is none, or breaks the protocol; it has changed nothing.
        """
        kind, sender, receiver, number, acked = read_header(frame)
        if sender != self._peer or receiver != self._own or kind == HELLO:
            self._receive_other(frame, now)
            return None
        if acked > self._sent:
            raise ValueError(f"an acknowledgement of frame {acked}, while {self._sent} were sent")
        self._heard_at = now
        if self._absent_since is not None:
            self._return()
        if acked > self._acked:
            self._acknowledge(acked, now)
        if kind in {DATA, PART}:
            if (
                number != self._received + 1
                or self.state is not State.OPEN
                or now - self._confirmed_at > _LEASE
            ):
                self._receive_out_of_turn(number, now)
                return None
            return self._take(frame, kind)
        self._receive_control(kind, number, now)
        return None

    def _take(self, frame: bytes, kind: int) -> bytes | memoryview | None:
        payload: bytes | memoryview = memoryview(frame)[SIZE:]
        if self._parts_bytes + len(payload) > self.terms.message_limit:
            raise ValueError(f"a batch of more than {self.terms.message_limit} bytes")
        self._received += 1
        if not self.is_frozen:
            self._told = self._received
        self.counters.received += 1
        self._owed += 1
        self._owed_bytes += len(frame)
        if self._owed >= self.terms.window_frames // 4 or self._owed_bytes >= self.terms.window_bytes // 4:
            self._say(ACK)
        if kind == DATA and not self._parts:
            return payload
        self._parts.append(payload)
        self._parts_bytes += len(payload)
        if kind == PART:
            return None
        payload = b"".join(self._parts)
        self._parts = []
        self._parts_bytes = 0
        return payload

    def _receive_out_of_turn(self, number: int, now: float) -> None:
        if number <= self._received:
            self.counters.duplicates += 1
            self._owed += 1  # the acknowledgement may have been lost
        elif self.state is State.OPEN:
            if now - self._confirmed_at > _LEASE:
                self._challenge(now)  # it may have given us up, and told its senders so
            elif number > self._received + 1:
                self.counters.early += 1
                if now - self._asked_at > _GREET_AGAIN:
                    self._asked_at = now
                    self._say(LOST)

    def _receive_control(self, kind: int, number: int, now: float) -> None:
        if kind == PING:
            self._say(BUSY if self.is_frozen else PONG, number)
        elif kind in {PONG, BUSY}:
            self._receive_pong(kind, number, now)
        elif kind == LOST:
            self._send_again()
        elif kind == CLOSE:
            if number == self._received + 1:
                self._received = self._told = number
                self._say(ACK)
                self._end("it has stopped")
            else:
                self._receive_out_of_turn(number, now)
        elif kind != ACK:
            raise ValueError(f"a frame of an unknown kind: {kind}")

    def _receive_pong(self, kind: int, number: int, now: float) -> None:
        if number != self._ping or self._pinged_at is None:
            return
        self.rtt = now - self._pinged_at
        self._confirmed_at = self._pinged_at
        self._pinged_at = None
        if (
            kind == PONG and self._acked < self._pinged_up_to
        ):  # it is there, and has not got what went before the ping
            self._send_again()

    def _acknowledge(self, acked: int, now: float) -> None:
        unacked = self._unacked
        for _ in range(acked - self._acked):
            self._unacked_bytes -= len(unacked.popleft()[0])
        self._acked = acked
        self._waiting_since = now if unacked else None
        if self._pending:
            self._send_pending()
        elif self.state is State.CLOSING and not unacked:
            self._end("it has stopped")

    def _return(self) -> None:
        """Go on: the other end was away, and is back; what came meanwhile is lost."""
        self._absent_since = None
        self._send_again()

    # -- greeting -------------------------------------------------------------------------------------------

    def _receive_other(self, frame: bytes, now: float) -> None:
        """Take a hello, or a frame that is not of this session."""
        kind, sender, receiver, number, acked = read_header(frame)
        if self.state is State.CLOSED:
            return
        if kind != HELLO:
            self.counters.strange += 1
            if self.state is not State.CLOSING:
                self._challenge(now)
            return
        terms = read_terms(memoryview(frame)[SIZE:])
        if not sender:
            raise ValueError("a hello of nobody")
        if self.state is State.CLOSING and sender != self._peer:
            self._end("it was restarted")
            return
        self._receive_hello((sender, receiver, number, acked), terms, now)

    def _receive_hello(self, header: tuple[int, int, int, int], terms: Terms, now: float) -> None:
        sender, receiver, asks, echo = header
        # Only the answer to our own question shows that who says so is there now: anything else may be old.
        is_news = False
        if receiver == self._own and self._nonce and echo == self._nonce:
            self._nonce = 0
            if terms.versions[0] > VERSION or terms.versions[1] < LOWEST_VERSION:
                self._end(_stranger(terms))
            elif sender == self._peer:
                self._confirmed_at = self._nonce_at
                self._say(LOST)  # what came while this was in doubt was not taken
            else:
                is_news = True
                self._open(sender, terms, now)
        if asks:
            self._hello(sender, now, echo=asks, ask=sender != self._peer)
        if is_news:  # after the answer, so that the other end is there when it gets what follows from this
            self.instructions.append(Opened(terms))

    def _open(self, peer: int, terms: Terms, now: float) -> None:
        """Begin a session with an end that is there now."""
        if self._peer:
            own, other, taken = terms.previous or (0, 0, 0)
            if (own, other) == (self._peer, self._own) and self._acked < taken <= self._sent:
                self._acknowledge(taken, now)  # it says so itself: the rest was not taken
            self._remember()
            self._fail("it was restarted, or had given this container up, before it confirmed the message")
        self._start()
        self.state = State.OPEN
        self._peer = peer
        self._other = terms
        self._heard_at = now
        self._confirmed_at = self._nonce_at
        self._waiting_since = self._absent_since = self._pinged_at = None
        self._pinged_again_at = self._ticked_at = now

    def _greet(self, now: float) -> None:
        self._next_greeting = now + _PROBE
        self._hello(0, now, ask=True)

    def _challenge(self, now: float) -> None:
        """Ask who is there now, but not too often."""
        if self._has_way and now - self._asked_at >= _GREET_AGAIN:
            self._asked_at = now
            self._hello(self._peer, now, ask=True)

    def _hello(self, receiver: int, now: float, *, ask: bool, echo: int = 0) -> None:
        if ask and not self._nonce:
            self._nonce = self._new_number()
            self._nonce_at = now
        nonce = self._nonce if ask else 0
        terms = msgspec.structs.replace(self.terms, previous=self._previous)
        self.instructions.append(
            Transmit(_pack(HELLO, self._own, receiver, nonce, echo) + write_terms(terms))
        )

    # -- time -----------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Do what is due; to be called every second, and every few hundredths of one while `is_busy`."""
        if now - self._ticked_at > _STANDSTILL and self._waiting_since is not None:
            self._waiting_since = now  # this process stood still, and has not read what came meanwhile
        self._ticked_at = now
        if self.state is State.GREETING:
            if self._waiting_since is not None and now - self._waiting_since > GIVE_UP:
                self._end(f"there was no answer for {GIVE_UP:g} s")
            elif self._has_way and now >= self._next_greeting:
                self._greet(now)
        elif self.state in {State.OPEN, State.CLOSING}:
            if self._owed and self._has_way:
                self._say(ACK)
            if not self._is_given_up(now) and self._has_way:
                self._probe(now)

    def _is_given_up(self, now: float) -> bool:
        if self._absent_since is not None and now - self._absent_since > GRACE:
            self._end(f"it was away for {GRACE:g} s")
        elif self._waiting_since is not None and now - max(self._waiting_since, self._heard_at) > GIVE_UP:
            self._end(f"nothing was heard of it for {GIVE_UP:g} s")
        return self._peer == 0

    def _probe(self, now: float) -> None:
        """Ask for a sign of life where one is wanted."""
        if self._absent_since is not None:
            due = self._pinged_again_at + _PROBE_AWAY
        elif self._waiting_since is not None:
            due = max(self._pinged_again_at, self._waiting_since) + _PROBE
        elif self._pinged_at is not None:
            due = self._pinged_again_at + _PROBE
        else:
            due = self._pinged_again_at + _KEEP_ALIVE
        if now < due:
            return
        if self._pinged_at is None:
            self._ping += 1
            self._pinged_at = now
            self._pinged_up_to = self._sent
        elif now - self._pinged_at >= GRACE and self._heard_at < self._pinged_at:
            self.instructions.append(Doubt())
        self._pinged_again_at = now
        self._say(PING, self._ping)

    # -- the end --------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Tell the other end that this one stops: nothing more is taken; it ends with `state` CLOSED."""
        if self.state is State.OPEN:
            self.state = State.CLOSING
            self._pending.append((CLOSE, b"", None))
            self._send_pending()
        elif self.state in {State.IDLE, State.GREETING}:
            self.state = State.CLOSED

    def abandon(self, reason: str) -> None:
        """End at once: what has not been acknowledged fails."""
        self._fail(reason)
        self.state = State.CLOSED

    def _end(self, reason: str) -> None:
        """Forget the other end; whoever comes next is another, and so is this one to it."""
        self._remember()
        self._fail(reason)
        self.state = State.CLOSED if self.state is State.CLOSING else State.IDLE
        self._start()
        self._own = self._new_number()
        self._nonce = 0
        self._waiting_since = self._absent_since = self._pinged_at = None
        self.instructions.append(Ended(reason))

    def _remember(self) -> None:
        if self._peer:
            self._previous = (self._own, self._peer, self._received)

    def _fail(self, reason: str) -> None:
        items = [item for _, item in self._unacked if item is not None]
        items += [item for _, _, item in self._pending if item is not None]
        self._unacked.clear()
        self._pending.clear()
        if items:
            self.instructions.append(Failed(items, reason))


def _stranger(terms: Terms) -> str:
    ours, theirs = f"{LOWEST_VERSION} to {VERSION}", f"{terms.versions[0]} to {terms.versions[1]}"
    return f"it speaks the versions {theirs} of the link protocol, and this container {ours}"
