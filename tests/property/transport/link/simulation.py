"""Two sessions, an unreliable network between them, and an account of every item."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from types import SimpleNamespace

from formicary.transport.link.header import DATA, HEADER, HELLO, PART, SessionParameters
from formicary.transport.link.instructions import DeliveryOutcome, Ended, Failed, Opened, Transmit
from formicary.transport.link.receipts import Receipts, read_receipt
from formicary.transport.link.session import Session, State

FORGOTTEN = 120.0  # s
AWAY = "it was disconnected"
SILENT = "nothing was heard"
UNANSWERED = "it has not answered"
STOPPED = "it has stopped"
REPLACED = "it was restarted"
BOUNCED = "bounced"
ABANDONED = "abandoned"
OWN_STOP = "this container has stopped"


@dataclass
class Item:
    """An item that was given to a session, and its fate."""

    number: int
    life: int  # of the sender: counts the sessions' objects of both ends
    failed: str | None = None
    outcome: DeliveryOutcome | None = None  # what was known of it when it failed
    taken_by: tuple | None = None  # the life of the receiver, and the incarnations of the session
    is_received: bool = False  # whether a behaviour, say, has got it out of its mailbox


@dataclass
class End:
    """A container: its session, and its path."""

    name: int
    parameters: SessionParameters
    make: type = Session
    session: Session = None
    life: int = 0
    way: int | None = 0
    is_stalled: bool = False
    inbox: list = field(default_factory=list)  # what came while it stood still
    pairs: set = field(default_factory=set)  # of the incarnations of all sessions that were open
    was: list = field(default_factory=list)  # when which incarnation began
    latest: tuple | None = None  # the latest session in which this life took something
    mailbox: list = field(default_factory=list)  # items that nobody has received yet
    receipts: Receipts = None
    left: int = 0  # messages that it is to look for again


class World:
    """Time, network and account. Frames in flight are kept by path and receiver, in the order of sending."""

    def __init__(self, *parameters, makes=(Session, Session)):
        self.now = 1000.0
        self.numbers = (number * 2_654_435_761 % (1 << 32) for number in itertools.count(1))
        self.lives = itertools.count(1)
        self.items = {}
        self.order = defaultdict(int)  # the latest item that was taken, by the sender's life
        self.flight = {(way, receiver): [] for way in (0, 1) for receiver in (0, 1)}
        self.cut = set()
        self.hellos = ([], [])  # by receiver: all that were ever sent to it
        self.frames = self.greetings = 0
        self.ends = [End(name, parameters[name], makes[name]) for name in (0, 1)]
        for end in self.ends:
            self.start(end)

    def start(self, end):
        """Start a new process for an end."""
        end.session = end.make(lambda: next(self.numbers), end.parameters)
        end.mailbox = []
        nothing = SimpleNamespace(watch=lambda *_, **__: None, forget=lambda _: None)
        end.receipts = Receipts(nothing, lambda receipt: self.send_receipt(end, receipt), {})
        end.life = next(self.lives)
        end.latest = None
        end.is_stalled = False
        end.inbox.clear()
        if end.way is not None:
            end.session.use_path(self.now)
        self.perform(end)

    def forget(self, end):
        """Let time pass in silence, and forget an end without a session, as a router does."""
        self.advance(FORGOTTEN, step=1.0)
        if end.session.state is State.IDLE and self.now - end.was[-1][0] >= FORGOTTEN and not end.is_stalled:
            end.session = end.make(lambda: next(self.numbers), end.parameters)
            end.latest = None
            if end.way is not None:
                end.session.use_path(self.now)
            self.perform(end)

    # -- what an end does -----------------------------------------------------------------------------------

    def send(self, end, size=0, parts=1):
        """Send an item, in parts."""
        session = end.session
        number = len(self.items) + 1
        self.items[number] = Item(number, end.life)
        self.send_batch(end, number.to_bytes(8, "big") + bytes(size), [number], parts)
        if session.state is State.IDLE:
            session.connect(self.now)
            self.perform(end)

    def send_batch(self, end, payload, item, parts=1):
        session = end.session
        cut = [len(payload) * part // parts for part in range(parts + 1)]
        for start, stop in itertools.pairwise(cut):
            last = stop == len(payload)
            frame = session.send(payload[start:stop], item if last else None, DATA if last else PART)
            if frame is not None:
                assert end.way is not None
                self.transmit(end, frame)
            self.perform(end)

    def send_receipt(self, end, receipt):
        """Send a receipt, as a batch that is no item, if it can go at once; for an end's `Receipts`."""
        session = end.session
        is_open = session.state is State.OPEN and end.way is not None and not session.receiving.is_frozen
        if not is_open or session.unacknowledged >= 4:
            return False
        self.send_batch(end, bytes(8) + receipt, None, parts=len(receipt) // 100 + 1)
        return True

    def transmit(self, end, frame):
        receiver = 1 - end.name
        if frame[0] == HELLO:
            self.greetings += 1
            self.hellos[receiver].append(frame)
        else:
            assert end.way is not None, "a frame without a way"
        self.frames += 1
        if end.way is not None and (end.way, receiver) not in self.cut:
            self.flight[end.way, receiver].append(frame)

    def perform(self, end):
        session = end.session
        while session.instructions:
            for instruction in session.take_instructions():
                match instruction:
                    case Transmit(frame):
                        self.transmit(end, frame)
                    case Failed(items, reason, outcome):
                        for number in itertools.chain(*items):
                            self.fail(end, self.items[number], reason, outcome)
                    case Opened():
                        self.opened(end)
                        end.receipts.start(is_wanted=all(each.parameters.receipts for each in self.ends))
                    case Ended():
                        end.receipts.start(is_wanted=False)
                        assert session.state in {State.IDLE, State.CLOSED}
        own = session.incarnations[0]
        if not end.was or end.was[-1][1] != own:
            end.was.append((self.now, own))

    def receive(self, end, frame):
        if end.is_stalled:
            end.inbox.append(frame)
            return
        batch = end.session.receive(frame, self.now)
        if batch is not None and (number := int.from_bytes(batch[:8], "big")):
            self.take(end, number, HEADER.unpack_from(frame))
        elif batch is not None:
            receipt = bytes(batch[8:])
            if isinstance(end.session, Session):
                end.session.unconsumed.settle(read_receipt(receipt))
            else:
                end.session.settle(receipt)
        self.perform(end)

    def look(self, end):
        """Let an end check what was received, and tell the other."""
        end.left = end.receipts.look({id(item): item for item in end.mailbox})
        self.perform(end)

    def tick(self, end):
        if not end.is_stalled:
            end.session.tick(self.now)
            self.perform(end)
            if end.receipts.arrived or end.left:
                self.look(end)

    def use_path(self, end, way):
        end.way = way
        end.session.use_path(self.now, there_is_one=way is not None)
        self.perform(end)

    def stall(self, end):
        end.is_stalled = True

    def wake(self, end, *, ticks_first):
        end.is_stalled = False
        if ticks_first:
            self.tick(end)
        inbox, end.inbox = end.inbox, []
        for frame in inbox:
            self.receive(end, frame)
        self.tick(end)

    # -- the account ----------------------------------------------------------------------------------------

    def take(self, end, number, header):
        item = self.items[number]
        assert item.taken_by is None, "taken twice"
        assert number > self.order[item.life], "taken out of order"
        self.order[item.life] = number
        # Taken after it was given back: only if the sender did not wait until the receiver's lease had ended.
        assert item.failed is None or item.failed.startswith((AWAY, ABANDONED)), item.failed
        assert item.outcome is not DeliveryOutcome.UNDELIVERED, (
            "taken though it was said that it was not delivered"
        )
        end.latest = item.taken_by = (end.life, *header[1:3])
        end.mailbox.append(item)
        end.receipts.arrived.append(id(item))
        end.receipts.note()

    def fail(self, end, item, reason, outcome):
        assert item.life == end.life
        assert item.failed is None, "given back twice"
        item.failed, item.outcome = reason, outcome
        if item.taken_by is None:
            assert outcome is not DeliveryOutcome.DELIVERED
            return
        assert outcome is not DeliveryOutcome.UNDELIVERED
        if outcome is DeliveryOutcome.DELIVERED:
            return  # what has arrived may have been received, until the other end says more
        if reason.startswith(REPLACED):
            # The other end would have said that it took the item, if it still knew.
            other = self.ends[1 - end.name]
            assert other.life != item.taken_by[0] or other.latest != item.taken_by, (
                "it has said that it took it"
            )
        else:
            # The sender does not know, since it has heard nothing since.
            assert reason.startswith((AWAY, SILENT, UNANSWERED, ABANDONED)), reason

    def opened(self, end):
        session = end.session
        pair = session.incarnations
        assert pair not in end.pairs, "the incarnations of a session come again"
        end.pairs.add(pair)
        # The other end had this incarnation at some time since the question to it was asked.
        was = self.ends[1 - end.name].was
        until = [at for at, _ in was[1:]] + [float("inf")]
        asked_at = session._handshake.asked_at if isinstance(session, Session) else session.asked_at
        assert any(own == pair[1] and end >= asked_at for (_, own), end in zip(was, until, strict=True))

    def check(self):
        for end in self.ends:
            session = end.session
            assert not session.instructions
            if not isinstance(session, Session):
                continue
            sending = session.sending
            other, unacked = sending.other, sending._unacked
            size = sum(len(frame) for frame, _ in unacked)
            assert sending._unacked_bytes == size
            assert len(unacked) <= other.window_frames
            assert size <= other.window_bytes or len(unacked) == 1
            assert len(unacked) == sending.sent - sending.acked
            assert len(session.receiving.parts) <= end.parameters.message_limit

    # -- time and network -----------------------------------------------------------------------------------

    def deliver(self, way, receiver, index=0, *, twice=False):
        flight = self.flight[way, receiver]
        if flight:
            frame = flight[index % len(flight)] if twice else flight.pop(index % len(flight))
            self.receive(self.ends[receiver], frame)

    def flow(self, receivers=(0, 1)):
        """Deliver everything in flight, in order."""
        for (_, receiver), flight in self.flight.items():
            if receiver in receivers:
                arriving = flight[:]
                flight.clear()
                for frame in arriving:
                    self.receive(self.ends[receiver], frame)

    def advance(self, seconds, receivers=(), step=0.25):
        """Let time pass, while frames reach some receivers, and others are stuck."""
        until = self.now + seconds
        while self.now < until - 1e-9:
            self.now += min(step, until - self.now)
            self.flow(receivers)
            for end in self.ends:
                self.tick(end)

    def mend(self):
        """End all faults."""
        self.cut.clear()
        for end in self.ends:
            end.session.receiving.freeze(is_frozen=False)
            self.perform(end)
            if end.way != 0:
                self.use_path(end, 0)
            if end.is_stalled:
                self.wake(end, ticks_first=False)

    def outstanding(self):
        """Return the items of live senders that were neither taken nor returned.

        With receipts, an item at a dead end is not taken.
        """
        lives = {end.life for end in self.ends}
        tells = all(end.parameters.receipts for end in self.ends)
        return [
            item
            for item in self.items.values()
            if item.life in lives
            and item.failed is None
            and (item.taken_by is None or (tells and not item.is_received and item.taken_by[0] not in lives))
        ]
