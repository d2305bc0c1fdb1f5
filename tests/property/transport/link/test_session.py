"""Nothing is lost, doubled or out of order, whatever the network, processes and users do."""

from __future__ import annotations

import copy

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.property.searches import at_first
from tests.property.transport.link.second import Second
from tests.property.transport.link.simulation import ABANDONED, BOUNCED, World

from formicary.transport.link.header import HEADER, HELLO, SessionParameters
from formicary.transport.link.session import Session, State
from formicary.transport.link.unconsumed import Unconsumed

TERMS = st.builds(
    SessionParameters,
    frame_limit=st.sampled_from([1100, 4096]),
    window_frames=st.sampled_from([1, 3, 8, 1024]),
    window_bytes=st.sampled_from([100, 400, 1 << 22]),
    message_limit=st.sampled_from([300, 1 << 20]),
)
ENDS = st.sampled_from([0, 1])
WAYS = st.sampled_from([0, 1])
TIMES = st.sampled_from([0.05, 0.3, 1.0, 2.9, 3.2, 6.0, 11.0, 26.0, 31.0, 40.0])
FLOWS = st.sampled_from([(), (0,), (1,), (0, 1)])
INDEX = st.integers(0, 5)
DAMAGE = st.tuples(st.integers(0, 200), st.integers(1, 255), st.none() | st.integers(0, 60))


class Links(RuleBasedStateMachine):
    """Two ends, and everything that can happen to them."""

    makes = Session, Session

    @initialize(
        first=TERMS, second=TERMS, connects=st.booleans(), receipts=st.tuples(st.booleans(), st.booleans())
    )
    def begin(self, first, second, connects, receipts):
        ends = zip((first, second), receipts, strict=True)
        parameters = (msgspec.structs.replace(each, receipts=gives) for each, gives in ends)
        self.world = World(*parameters, makes=self.makes)
        if connects:
            self.send(0, 0, 1)
            self.world.flow()
            self.world.flow()

    def end(self, name):
        return self.world.ends[name]

    # -- what users do --------------------------------------------------------------------------------------

    @rule(name=ENDS, size=st.sampled_from([0, 10, 200]), parts=st.sampled_from([1, 1, 1, 2, 5]))
    def send(self, name, size, parts):
        if not self.end(name).is_stalled:
            self.world.send(self.end(name), size, parts)

    @rule(name=ENDS, count=st.integers(2, 12))
    def send_many(self, name, count):
        for _ in range(count):
            self.send(name, 5, 1)

    @rule(name=ENDS, index=INDEX, count=st.integers(1, 6))
    def take_out_of_mailboxes(self, name, index, count):
        """Receive some items; later ones may be first, in another behaviour's mailbox."""
        end = self.end(name)
        if not end.is_stalled:
            for item in end.mailbox[index : index + count]:
                item.is_received = True
            del end.mailbox[index : index + count]
            self.world.look(end)

    @rule(name=ENDS, is_frozen=st.booleans())
    def freeze(self, name, is_frozen):
        self.end(name).session.receiving.freeze(is_frozen=is_frozen)
        self.world.perform(self.end(name))

    @rule(name=ENDS)
    def connect(self, name):
        self.end(name).session.connect(self.world.now)
        self.world.perform(self.end(name))

    @rule(name=ENDS)
    def ask(self, name):
        self.end(name).session.ask(self.world.now)
        self.world.perform(self.end(name))

    # -- what the network does ------------------------------------------------------------------------------

    @rule(way=WAYS, name=ENDS, index=INDEX, twice=st.booleans())
    def deliver(self, way, name, index, twice):
        self.world.deliver(way, name, index, twice=twice)

    @rule(way=WAYS, name=ENDS, index=INDEX)
    def drop(self, way, name, index):
        flight = self.world.flight[way, name]
        if flight:
            flight.pop(index % len(flight))

    @rule(receivers=FLOWS)
    def flow(self, receivers):
        self.world.flow(receivers)

    @rule(seconds=TIMES, receivers=FLOWS)
    def advance(self, seconds, receivers):
        self.world.advance(seconds, receivers)

    @rule(way=WAYS, name=ENDS, loses=st.booleans())
    def cut(self, way, name, loses):
        self.world.cut.add((way, name))
        if loses:
            self.world.flight[way, name].clear()

    @rule(way=WAYS, name=ENDS)
    def restore(self, way, name):
        self.world.cut.discard((way, name))

    @rule(name=ENDS, way=st.sampled_from([0, 1, None]))
    def use_path(self, name, way):
        self.world.use_path(self.end(name), way)

    @rule(name=ENDS)
    def bounce(self, name):
        self.end(name).session.lose(self.world.now, BOUNCED)
        self.world.perform(self.end(name))

    @rule(name=ENDS, index=st.integers(0, 30))
    def replay_a_hello(self, name, index):
        hellos = self.world.hellos[name]
        if hellos:
            self.world.receive(self.end(name), hellos[-1 - index % len(hellos)])

    @rule(name=ENDS, way=WAYS, index=INDEX, damage=DAMAGE)
    def mutate(self, name, way, index, damage):
        """Receive a damaged frame in a copy: if refused, it must not have changed anything."""
        flight = self.world.flight[way, name] or self.world.hellos[name]
        if not flight:
            return
        at, mask, length = damage
        frame = bytearray(flight[index % len(flight)][:length])
        if frame:
            frame[at % len(frame)] ^= mask
        session = copy.deepcopy(self.end(name).session)
        if not isinstance(session, Session):
            return
        before = state_of(session)
        try:
            session.receive(bytes(frame), self.world.now)
        except ValueError:
            assert state_of(session) == before

    # -- what processes do ----------------------------------------------------------------------------------

    @rule(name=ENDS)
    def stall(self, name):
        self.world.stall(self.end(name))

    @rule(name=ENDS, ticks_first=st.booleans())
    def wake(self, name, ticks_first):
        if self.end(name).is_stalled:
            self.world.wake(self.end(name), ticks_first=ticks_first)

    @rule(name=ENDS)
    def restart(self, name):
        self.world.start(self.end(name))

    @rule(name=ENDS)
    def forget(self, name):
        self.world.forget(self.end(name))

    @rule(name=ENDS)
    def close(self, name):
        if not self.end(name).is_stalled:
            self.end(name).session.close()
            self.world.perform(self.end(name))

    @rule(name=ENDS, for_good=st.booleans())
    def give_up(self, name, for_good):
        session = self.end(name).session
        if for_good:
            session.abandon(ABANDONED)
        else:
            session.end(ABANDONED)
        self.world.perform(self.end(name))

    @precondition(lambda self: hasattr(self, "world"))
    @invariant()
    def holds(self):
        self.world.check()

    # -- in the end -----------------------------------------------------------------------------------------

    def teardown(self):
        if not hasattr(self, "world"):
            return
        world = self.world
        world.mend()
        flying = sum(map(len, world.flight.values()))
        self.settle(35.0, flying)
        assert not world.outstanding()
        for end in world.ends:
            if end.session.state is State.CLOSED:
                world.start(end)
            end.session.connect(world.now)
            world.perform(end)
        self.settle(12.0, 0)  # a ping shows an end that the other is not the one that it was
        numbers = [len(world.items) + 1, len(world.items) + 2]
        for end in world.ends:
            world.send(end)
        self.settle(3.0, 0)
        for number in numbers:
            assert world.items[number].failed is None
            assert world.items[number].taken_by is not None
        assert all(end.session.state is State.OPEN for end in world.ends)
        for name in (0, 1):
            self.take_out_of_mailboxes(name, 0, 1_000_000)
        self.settle(3.0, 0)
        assert not any(map(len, (end.session.unconsumed for end in world.ends))), "kept, though it was taken"
        self.stays_quiet()
        self.close_both()

    def close_both(self):
        """Close both while something is in transit."""
        world = self.world
        for end in world.ends:
            for size in (0, 10, 150):
                world.send(end, size)
        for end in world.ends:
            end.session.close()
            world.perform(end)
        self.settle(5.0, 0)
        assert all(end.session.state is State.CLOSED for end in world.ends)
        assert not world.outstanding()
        world.check()

    def settle(self, seconds, flying):
        """Let a fair network work for a while."""
        world = self.world
        unacked = sum(end.session.unacknowledged for end in world.ends)
        frames, greetings = world.frames, world.greetings
        world.advance(seconds, (0, 1), step=0.1)
        assert world.greetings - greetings <= 50 + 4 * flying
        assert world.frames - frames <= 200 + 20 * (unacked + flying) + 4 * seconds, "a storm"

    def stays_quiet(self):
        """Check that only pings are sent when there is nothing to do."""
        world = self.world
        world.advance(1.0, (0, 1), step=0.05)
        frames, greetings = world.frames, world.greetings
        world.advance(40.0, (0, 1), step=0.5)
        assert world.greetings == greetings
        assert world.frames - frames <= 2 * 2 * 5
        assert all(end.session.state is State.OPEN for end in world.ends)


def state_of(session):
    """Return the whole state of a session, for comparison."""
    parts = (session, session.sending, session.receiving, session._detector, session._handshake)
    known = {name: copy.copy(value) for part in parts for name, value in vars(part).items()}
    known |= {
        f"unconsumed.{name}": copy.copy(getattr(session.unconsumed, name)) for name in Unconsumed.__slots__
    }
    return {
        name: value
        for name, value in known.items()
        if name not in {"_detector", "_handshake", "_sending", "sending", "receiving", "unconsumed"}
    }


class LinksOfTwoKinds(Links):
    """The same, with one end written from the specification."""

    makes = Session, Second


TestLinks = Links.TestCase
TestLinks.settings = at_first(30, like=TestLinks.settings)
TestLinksOfTwoKinds = LinksOfTwoKinds.TestCase
TestLinksOfTwoKinds.settings = at_first(30, like=TestLinksOfTwoKinds.settings)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
HELLOS = st.builds(
    dict, st.dictionaries(st.sampled_from(SessionParameters.__struct_fields__), VALUES, max_size=7)
)


@given(
    st.one_of(HELLOS, VALUES).map(msgspec.msgpack.encode) | st.binary(max_size=20),
    st.integers(0, (1 << 32) - 1),
)
def test_any_hello_is_taken_or_refused(payload, sender):
    session = Session(iter(range(1, 100)).__next__, SessionParameters())
    session.use_path(0.0)
    session.connect(0.0)
    before = state_of(session)
    frame = HEADER.pack(HELLO, sender, session.incarnations[0], 5, session._handshake._nonce) + payload
    try:
        session.receive(frame, 0.0)
    except ValueError:
        assert state_of(session) == before
    else:
        assert session.instructions != before["instructions"]


@given(st.binary(max_size=60))
def test_any_bytes_are_a_frame_or_refused(data):
    session = Session(iter(range(1, 100)).__next__, SessionParameters())
    session.use_path(0.0)
    try:
        assert session.receive(data, 0.0) is None
    except ValueError:
        assert not session.instructions
    assert session.state is State.IDLE
