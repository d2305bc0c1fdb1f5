"""A second implementation of `docs/link-protocol.md`, written from that alone: short rather than fast.

It has the interface of `Session`, so that the same tests use both.
"""

from __future__ import annotations

import struct

import msgspec

from formicary.transport.link.instructions import DeliveryOutcome, Doubt, Ended, Failed, Opened, Transmit
from formicary.transport.link.session import State

HELLO, DATA, PART, ACK, PING, PONG, LOST, CLOSE, BUSY = range(1, 10)
NEVER = float("-inf")


class Second:
    """One end of a link."""

    def __init__(self, random, parameters):
        self.random, self.parameters = random, parameters
        self.state, self.instructions, self.previous, self.receiving = State.IDLE, [], None, self
        self.way, self.is_frozen, self.waiting = False, False, []
        self.question = self.ping = 0
        self.asked_at = self.challenged_at = self.lost_at = self.ticked_at = NEVER
        self.forget()

    def forget(self):
        self.own, self.peer, self.question = self.random() or 1, 0, 0
        self.begin(0.0)

    def begin(self, now):
        self.kept, self.sent, self.acked, self.taken, self.told = {}, 0, 0, 0, 0
        self.unconsumed, self.arrived, self.settled_up_to = {}, 0, 0
        self.parts, self.resent_at, self.owes, self.refused = b"", NEVER, False, False
        self.heard_at = self.confirmed_at = self.pinged_again_at = now
        self.pinged_at = self.away_since = self.waiting_since = None

    def take_instructions(self):
        instructions, self.instructions = self.instructions, []
        return instructions

    # -- sending --------------------------------------------------------------------------------------------

    def write(self, kind, number=0, payload=b""):
        return struct.pack("!BIIQQ", kind, self.own, self.peer, number, self.told) + payload

    def say(self, kind, number=0):
        if self.way:
            self.owes = False
            self.instructions.append(Transmit(self.write(kind, number)))

    def hello(self, now, *, to=0, asks=False, echo=0):
        if asks and (not self.question or now - self.asked_at > 10):
            self.question, self.asked_at = self.random() or 1, now
        limits = {
            name: getattr(self.parameters, name)
            for name in ("frame_limit", "window_frames", "window_bytes", "message_limit")
        }
        receipts = {"receipts": True} if self.parameters.receipts else {}
        parameters = {"versions": [2, 2], "previous": self.previous, **limits, **receipts, "new": 1}
        payload = msgspec.msgpack.encode(parameters)
        head = struct.pack("!BIIQQ", HELLO, self.own, to, self.question if asks else 0, echo)
        self.instructions.append(Transmit(head + payload))

    def challenge(self, now):
        if self.way and now - self.challenged_at >= 0.1:
            self.challenged_at = now
            self.hello(now, asks=True)

    def send(self, payload, item, kind=DATA):
        if self.state in {State.CLOSING, State.CLOSED}:
            self.instructions += [Failed([item], "this container has stopped")] if item is not None else []
        else:
            self.waiting.append((kind, payload, item))
            self.send_waiting()

    def send_waiting(self):
        while self.waiting and self.way and self.state in {State.OPEN, State.CLOSING}:
            size = sum(len(frame) for frame, _ in self.kept.values()) + 25 + len(self.waiting[0][1])
            is_full = len(self.kept) >= self.other["window_frames"] or size > self.other["window_bytes"]
            if self.kept and is_full:
                return
            kind, payload, item = self.waiting.pop(0)
            self.sent += 1
            self.kept[self.sent] = self.write(kind, self.sent, payload), item
            self.instructions.append(Transmit(self.kept[self.sent][0]))

    def send_again(self, now):
        if self.way and now - self.resent_at >= 0.25:
            self.resent_at = now
            self.instructions += [Transmit(frame) for frame, _ in self.kept.values()]

    def acknowledge(self, number):
        if number > self.acked:
            for old in range(self.acked + 1, number + 1):
                for message in self.kept.pop(old)[1] or ():
                    self.arrived += 1
                    self.unconsumed[self.arrived] = message
            if not (self.parameters.receipts and self.other.get("receipts")):
                self.unconsumed.clear()
            self.acked, self.waiting_since = number, None

    def settle(self, payload):
        upto, opened, settled = msgspec.msgpack.decode(payload)
        opened, settled = map(numbers, (opened, settled))
        assert self.settled_up_to <= upto <= self.arrived
        assert all(self.settled_up_to < number <= upto for number in opened)
        assert set(settled) <= {number for number in self.unconsumed if number <= self.settled_up_to}
        for number in (*range(self.settled_up_to + 1, upto + 1), *settled):
            if number not in opened:
                del self.unconsumed[number]
        self.settled_up_to = upto

    # -- receiving ------------------------------------------------------------------------------------------

    def receive(self, frame, now):
        if len(frame) < 25 or not HELLO <= frame[0] <= BUSY:
            raise ValueError("no frame")
        kind, sender, receiver, number, acked = struct.unpack("!BIIQQ", frame[:25])
        payload = frame[25:]
        if kind == HELLO:
            self.receive_hello((sender, receiver, number, acked), payload, now)
        elif self.state is State.CLOSED:
            pass
        elif (sender, receiver) != (self.peer, self.own) or not sender:
            self.refused |= kind in {DATA, PART}
            self.challenge(now)
        else:
            is_part = number == self.taken + 1 and (kind == PART or (kind == DATA and self.parts))
            is_too_long = is_part and len(self.parts) + len(payload) > self.parameters.message_limit
            if acked > self.sent or is_too_long:
                raise ValueError("against the protocol")
            self.acknowledge(acked)
            self.heard_at = now
            if self.state is State.CLOSING and not self.kept and not self.waiting:
                self.end("it has stopped")
            else:
                self.send_waiting()
                return self.receive_of_session(kind, number, payload, now)
        return None

    def receive_of_session(self, kind, number, payload, now):
        if kind == PING and not self.is_mute(now):
            self.say(BUSY if self.is_frozen else PONG, number)
        elif kind in {PONG, BUSY} and number == self.ping and self.pinged_at is not None:
            self.confirm(self.pinged_at)
            self.pinged_at = self.away_since = None
            if kind == PONG and self.acked < self.pinged_up_to:
                self.send_again(now)
        elif kind == LOST:
            self.send_again(now)
        elif kind in {DATA, PART, CLOSE}:
            return self.receive_numbered(kind, number, payload, now)
        return None

    def receive_numbered(self, kind, number, payload, now):
        may_take = self.state is State.OPEN and now - self.confirmed_at <= 25
        if number <= self.taken and not (kind == CLOSE and self.state is State.CLOSING):
            self.owes = True
        elif number == self.taken + 1 and kind == CLOSE:
            self.taken = self.told = number
            self.say(ACK)
            self.end("it has stopped", DeliveryOutcome.UNDELIVERED)
        elif number == self.taken + 1 and may_take:
            self.taken, self.owes = number, True
            self.told = self.told if self.is_frozen else number
            self.parts += payload
            if kind == DATA:
                batch, self.parts = self.parts, b""
                return batch
        elif self.state is State.CLOSING and kind == CLOSE:
            self.say(CLOSE)
            self.end("it has stopped", DeliveryOutcome.UNDELIVERED)
        elif self.state is State.CLOSING and now - self.lost_at >= 0.1:
            self.lost_at = now
            self.say(CLOSE)
        elif self.state is State.OPEN and not may_take:
            self.refused = True
            self.challenge(now)
        elif self.state is State.OPEN and now - self.lost_at >= 0.1:
            self.lost_at = now
            self.say(LOST)
        return None

    def confirm(self, sent_at):
        self.confirmed_at = max(self.confirmed_at, sent_at)
        if self.refused and self.state is State.OPEN:
            self.refused = False
            self.say(LOST)

    # -- greeting -------------------------------------------------------------------------------------------

    def receive_hello(self, header, payload, now):
        sender, receiver, asks, echo = header
        try:
            parameters = msgspec.msgpack.decode(payload)
        except msgspec.DecodeError as error:
            raise ValueError from error
        if not sender or not isinstance(parameters, dict):
            raise ValueError("no hello")
        if self.state is State.CLOSED:
            return
        is_answer = receiver == self.own and bool(self.question) and echo == self.question
        self.question = 0 if is_answer else self.question
        if sender == self.peer:
            self.heard_at = now
            if is_answer:
                self.confirm(self.asked_at)
            if asks and not self.is_mute(now):
                self.hello(now, to=sender, echo=asks)
        elif not is_answer and self.state is State.CLOSING:
            self.challenge(now)
        elif not is_answer:
            if asks:
                self.hello(now, to=sender, echo=asks, asks=True)
        else:
            self.replace(sender, parameters, asks, now)

    def replace(self, sender, parameters, asks, now):
        own, other, taken = parameters["previous"] or (0, 0, 0)
        outcome = DeliveryOutcome.UNKNOWN
        if self.peer and (own, other) == (self.peer, self.own) and taken <= self.sent:
            self.acknowledge(taken)
            outcome = DeliveryOutcome.UNDELIVERED
        if self.state is State.CLOSING:
            self.end("it was restarted", outcome)
            return
        if self.peer:
            self.fail("it was restarted", outcome)
        refused = self.refused
        self.begin(now)
        self.peer, self.other, self.state = sender, parameters, State.OPEN
        self.confirmed_at, self.refused = self.asked_at, refused
        if asks:
            self.hello(now, to=sender, echo=asks)
        self.instructions.append(Opened(parameters))
        self.confirm(self.asked_at)
        self.send_waiting()

    # -- signs of life --------------------------------------------------------------------------------------

    def unanswered(self, now):
        return 0.0 if self.waiting_since is None else now - max(self.waiting_since, self.confirmed_at)

    def is_mute(self, now):
        return self.unanswered(now) > 30

    def reason_to_give_up(self, now):
        if self.away_since is not None and now - max(self.away_since, self.heard_at) > 3:
            return "it was disconnected"
        if self.waiting_since is not None and now - max(self.waiting_since, self.heard_at) > 30:
            return "nothing was heard"
        if self.unanswered(now) > 60:
            return "it has not answered"
        since = self.pinged_at if self.waiting_since is None else None
        return "nothing was heard" if since is not None and now - max(since, self.heard_at) > 300 else None

    def tick(self, now):
        if now - self.ticked_at > 5:
            self.waiting_since = self.pinged_at = None
            self.away_since = None if self.away_since is None else now
        self.ticked_at = now
        waits = bool(self.kept or self.waiting or self.unconsumed or self.state is State.HANDSHAKE)
        self.waiting_since = (self.waiting_since or now) if waits else None
        if self.state not in {State.HANDSHAKE, State.OPEN, State.CLOSING}:
            return
        if reason := self.reason_to_give_up(now):
            self.end(reason)
        elif self.way and self.state is State.HANDSHAKE:
            if now - self.greeted_at >= 1:
                self.greet(now)
        elif self.way:
            if self.owes:
                self.say(ACK)
            self.probe(now)

    def probe(self, now):
        pause = 0.25 if self.away_since is not None else 10 if self.pinged_at is None else 1
        is_late = self.waiting_since is not None and now >= max(self.pinged_again_at, self.waiting_since) + 1
        if now >= self.pinged_again_at + pause or is_late:
            self.ask(now, again=True)

    def ask(self, now, *, again=False):
        if not self.peer or not self.way or (self.pinged_at is not None and not again):
            return
        if self.pinged_at is None:
            self.ping += 1
            self.pinged_at, self.pinged_up_to = now, self.sent
        elif now - self.pinged_at >= 3:
            self.instructions.append(Doubt())
        self.pinged_again_at = now
        self.say(PING, self.ping)

    # -- what the container says ----------------------------------------------------------------------------

    @property
    def incarnations(self):
        return self.own, self.peer

    @property
    def unacknowledged(self):
        return len(self.kept) + len(self.waiting)

    def use_path(self, now, *, there_is_one=True):
        self.way, self.pinged_at, self.away_since, self.resent_at = there_is_one, None, None, NEVER
        if there_is_one and self.state is State.HANDSHAKE:
            self.greet(now)
        self.send_again(now)
        self.send_waiting()

    def lose(self, now, reason):
        if self.state is State.HANDSHAKE:
            self.end(reason)
        elif self.peer and self.away_since is None:
            self.away_since, self.pinged_at = now, None

    def connect(self, now):
        if self.state is State.IDLE:
            self.state = State.HANDSHAKE
            self.begin(now)
            self.ticked_at, self.waiting_since, self.greeted_at = now, now, NEVER
            if self.way:
                self.greet(now)

    def greet(self, now):
        self.greeted_at = now
        self.hello(now, asks=True)

    def freeze(self, *, is_frozen):
        self.is_frozen = is_frozen
        if not is_frozen and self.told < self.taken:
            self.told, self.owes = self.taken, True
            self.say(ACK)

    def close(self):
        if self.state is State.OPEN:
            self.state, self.told = State.CLOSING, self.taken
            self.waiting.append((CLOSE, b"", None))
            self.send_waiting()
        elif self.state is not State.CLOSING:
            self.abandon("this container has stopped")

    def abandon(self, reason):
        self.state = State.CLOSED
        self.end(reason)

    def remember(self):
        if self.taken:
            self.previous = (self.own, self.peer, self.taken)

    def fail(self, reason, outcome):
        sent, waiting = [item for _, item in self.kept.values()], [item for _, _, item in self.waiting]
        self.waiting = []
        for items, each in (
            ([list(self.unconsumed.values())], DeliveryOutcome.DELIVERED),
            (sent, outcome),
            (waiting, DeliveryOutcome.UNDELIVERED),
        ):
            if items := [item for item in items if item]:
                self.instructions.append(Failed(items, reason, each))

    def end(self, reason, outcome=DeliveryOutcome.UNKNOWN):
        self.remember()
        self.fail(reason, outcome)
        if self.state is not State.CLOSED:
            self.state = State.CLOSED if self.state is State.CLOSING else State.IDLE
            self.instructions.append(Ended(reason))
        self.forget()


def numbers(ranges):
    """Return the numbers of all ranges of a receipt."""
    found = [
        number
        for first, count in zip(ranges[::2], ranges[1::2], strict=True)
        for number in range(first, first + count)
    ]
    assert found == sorted(set(found))
    return found
