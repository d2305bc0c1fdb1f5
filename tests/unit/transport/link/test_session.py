"""One end of a link: what it does about one thing at a time."""

from __future__ import annotations

import pytest
from tests.property.transport.link.simulation import World
from tests.property.transport.link.test_session import state_of

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
    WINDOW_BYTES,
    SessionParameters,
    read_parameters,
    write_parameters,
)
from formicary.transport.link.instructions import Doubt, Ended, Failed, Opened, Transmit
from formicary.transport.link.session import Session, State


def make_world(first=None, second=None):
    """Two ends that have found each other."""
    world = World(first or SessionParameters(), second or SessionParameters())
    a, b = world.ends
    a.session.connect(world.now)
    world.perform(a)
    for _ in range(3):
        world.flow()
    assert a.session.is_open
    assert b.session.is_open
    return world, a, b


def instructions_of(session, kind):
    found = [instruction for instruction in session.instructions if isinstance(instruction, kind)]
    session.instructions.clear()
    return found


def frames_of(session):
    return [instruction.frame for instruction in instructions_of(session, Transmit)]


def kinds(frames):
    return [frame[0] for frame in frames]


def control(world, ends, kind, number=0, acked=0):
    """Bring a frame of the session from the first of two ends to the second."""
    own, peer = ends[0].session.incarnations
    ends[1].session.receive(HEADER.pack(kind, own, peer, number, acked), world.now)


# -- what waits ---------------------------------------------------------------------------------------------


def test_what_waits_while_greeting_goes_out_when_the_other_end_is_there():
    world = World(SessionParameters(), SessionParameters())
    a, _ = world.ends
    for parts in (1, 3):
        world.send(a, 20, parts)
    assert a.session.state is State.HANDSHAKE
    world.advance(1.0, (0, 1))
    assert all(item.taken_by for item in world.items.values())


def test_what_waited_and_is_larger_than_the_other_end_takes_fails_clearly():
    world = World(SessionParameters(), SessionParameters(frame_limit=2000))
    a, _ = world.ends
    world.send(a, 3000)
    world.advance(1.0, (0, 1))
    assert "smaller frames" in world.items[1].failed
    assert a.session.is_open


def test_what_waits_for_a_way_fails_in_time():
    world, a, _ = make_world()
    world.use_path(a, None)
    world.send(a)
    world.advance(29.0)
    assert world.items[1].failed is None
    world.advance(2.0)
    assert world.items[1].failed == "nothing was heard of it for 30 s"


def test_what_waits_outside_for_a_way_is_given_up_in_time_too():
    world, a, _ = make_world()
    world.use_path(a, None)
    for since in range(31):
        a.session.tick(world.now + since, holds=True)
        assert a.session.is_open
    a.session.tick(world.now + 31, holds=True)
    assert instructions_of(a.session, Ended) == [Ended("nothing was heard of it for 30 s")]


def test_an_answer_that_was_lost_is_said_again_where_there_is_no_way():
    world = World(SessionParameters(), SessionParameters())
    a, b = world.ends
    a.session.connect(world.now)
    world.perform(a)
    world.flow()
    world.cut.add((0, 1))  # what lets the other end begin the session gets lost
    world.flow()
    assert (a.session.state, b.session.state) == (State.OPEN, State.IDLE)
    a.session.remind(world.now)
    assert frames_of(a.session) == []  # what goes over a way will have it asked
    a.session.use_path(world.now, there_is_one=False)
    a.session.remind(world.now)
    (hello,) = frames_of(a.session)
    b.session.receive(hello, world.now)
    assert b.session.incarnations == a.session.incarnations[::-1]
    assert [type(one) for one in b.session.instructions] == [Opened]  # nothing is asked or answered
    b.session.instructions.clear()
    b.session.receive(hello, world.now)
    assert b.session.instructions == []
    a.session.remind(world.now + 11.0)
    assert frames_of(a.session) == []


def test_what_goes_out_after_an_acknowledgement_is_watched_like_the_rest():
    world, a, _ = make_world(second=SessionParameters(window_frames=1))
    world.send(a)
    world.send(a)
    world.advance(0.5, (0, 1), step=0.05)
    assert world.items[2].taken_by
    world.send(a)
    world.send(a)
    world.flow((1,))
    world.tick(world.ends[1])
    world.flow((0,))  # the first is acknowledged, the second goes out
    world.cut |= {(0, 1), (0, 0)}
    world.flow((0,))
    for flight in world.flight.values():
        flight.clear()
    world.advance(31.0)
    assert world.items[4].failed


@pytest.mark.parametrize("state", ["idle", "handshake"])
def test_closing_without_the_other_end_gives_back_what_waits(state):
    session = Session(iter(range(1, 100)).__next__, SessionParameters())
    session.send(b"x", "item")
    if state == "handshake":
        session.connect(0.0)
    session.close()
    assert session.state is State.CLOSED
    assert instructions_of(session, Failed)[0].items == ["item"]


@pytest.mark.parametrize("how", ["close", "abandon"])
def test_what_is_sent_after_the_end_fails_at_once(how):
    _, a, _ = make_world()
    a.session.close() if how == "close" else a.session.abandon("why")
    a.session.instructions.clear()
    assert a.session.send(b"x", "item") is None
    assert instructions_of(a.session, Failed)[0].items == ["item"]
    assert a.session.send(b"x", None) is None
    assert not a.session.instructions


# -- the window ---------------------------------------------------------------------------------------------


def test_the_window_counts_frames_and_bytes_and_lets_a_large_frame_through_alone():
    world, a, b = make_world(second=SessionParameters(window_frames=3, window_bytes=200))
    assert a.session.send(bytes(500), 1) is not None
    assert not a.session.sending.has_room
    assert a.session.send(b"", 2) is None
    control(world, (b, a), ACK, acked=1)
    assert len(frames_of(a.session)) == 1
    assert a.session.send(bytes(201 - 2 * SIZE), 3) is None  # with its header, it is too much
    assert a.session.unacknowledged == 2


def test_a_small_frame_does_not_overtake_a_large_one_that_waits():
    _, a, _ = make_world(second=SessionParameters(window_bytes=100))
    assert a.session.send(b"", 1) is not None
    assert a.session.send(bytes(100), 2) is None
    assert a.session.send(b"", 3) is None


def test_an_acknowledgement_goes_at_once_after_a_quarter_of_the_window():
    world, a, b = make_world(second=SessionParameters(window_frames=40, window_bytes=1 << 20))
    for number in range(1, 11):
        assert not b.session.instructions
        b.session.receive(a.session.send(b"x", number), world.now)
    (ack,) = frames_of(b.session)
    assert HEADER.unpack(ack)[0] == ACK
    assert HEADER.unpack(ack)[4] == 10


def test_a_frozen_end_takes_but_does_not_acknowledge_and_says_that_it_is_busy():
    world, a, b = make_world()
    b.session.receiving.freeze(is_frozen=True)
    assert b.session.receive(a.session.send(b"x", 1), world.now) == b"x"
    control(world, (a, b), PING, 7)
    b.session.tick(world.now)
    assert {HEADER.unpack(frame)[4] for frame in frames_of(b.session)} == {0}
    b.session.receiving.freeze(is_frozen=False)
    (ack,) = frames_of(b.session)
    assert HEADER.unpack(ack)[4] == 1


def test_a_frozen_end_is_never_given_up_and_nothing_is_sent_again():
    world, a, b = make_world()
    b.session.receiving.freeze(is_frozen=True)
    world.send(a)
    world.advance(100.0, (0, 1), step=0.05)
    assert world.items[1].failed is None
    assert a.session.counters.resent == 0
    assert b.session.counters.duplicates == 0


# -- sending again ------------------------------------------------------------------------------------------


def test_steady_traffic_both_ways_is_never_sent_again_nor_doubted():
    world, a, b = make_world()
    for _ in range(1200):
        world.send(a)
        world.send(b)
        world.advance(0.05, (0, 1), step=0.05)
    for end in (a, b):
        counters = end.session.counters
        assert (counters.resent, counters.duplicates, counters.early, counters.strange) == (0, 0, 0, 0)
        assert counters.sent == 1200
        assert counters.received == 1200


def test_many_complaints_have_all_sent_again_only_now_and_then():
    world, a, b = make_world()
    for number in range(10):
        a.session.send(b"x", number)
    for _ in range(100):
        control(world, (b, a), LOST)
        world.now += 0.01
    assert 30 <= a.session.counters.resent <= 50


def test_another_way_has_all_sent_again_at_once():
    world, a, _ = make_world()
    first = a.session.send(b"x", 1)
    for _ in range(2):
        a.session.use_path(world.now)
        ping, again = frames_of(a.session)
        assert (ping[0], again) == (PING, first)
    a.session.use_path(world.now, there_is_one=False)
    assert not a.session.instructions


def fill_window(world, end, size=1 << 16):
    """Send as much as goes."""
    for _ in range(WINDOW_BYTES // (size + 8 + SIZE)):
        world.send(end, size)
    return list(world.items.values())


def test_what_goes_again_is_little_at_first_so_that_signs_of_life_get_through_a_slow_path():
    world, a, b = make_world()
    filling = fill_window(world, a)
    assert len(filling) > 50
    world.cut |= {(0, 0), (0, 1)}
    world.flow()
    for flight in world.flight.values():
        flight.clear()
    world.use_path(a, None)
    world.cut.clear()
    while not all(item.taken_by for item in filling):  # a path that carries eight frames, and breaks again
        before = sum(bool(item.taken_by) for item in filling)
        for end in (a, b):
            world.use_path(end, 0)
        for _ in range(8):
            world.deliver(0, 1)
            world.flow((0,))
            world.tick(b)
        for flight in world.flight.values():
            flight.clear()
        world.now += 1.0
        world.use_path(a, None)
        assert sum(bool(item.taken_by) for item in filling) > before
    assert not any(item.failed for item in filling)


def test_what_goes_again_goes_on_as_it_is_acknowledged_and_what_is_new_comes_behind_it():
    world, a, b = make_world()
    filling = fill_window(world, a)
    for flight in world.flight.values():
        flight.clear()
    world.use_path(a, 0)
    assert len(world.flight[0, 1]) < 5
    world.send(a)
    assert not a.session.sending.has_room
    for _ in range(8):
        world.now += 0.02
        world.flow()
        world.tick(b)
    assert all(item.taken_by for item in (*filling, world.items[len(world.items)]))
    assert a.session.sending.has_room
    assert a.session.counters.resent == len(filling)


def test_what_has_come_is_not_sent_again():
    world, a, b = make_world()
    filling = fill_window(world, a)
    world.flow((1,))
    world.flight[0, 0].clear()  # all acknowledgements
    world.use_path(b, 0)
    world.flight[0, 1].clear()
    world.use_path(a, 0)
    world.flow((0,))  # b's ping says what has come
    assert not a.session.unacknowledged
    assert a.session.counters.resent < len(filling) / 10


def test_a_ping_that_came_before_the_other_end_was_there_is_said_again_when_that_asks():
    world, a, b = make_world()
    world.use_path(b, None)
    world.use_path(a, 0)
    world.flight[0, 1].clear()
    world.now += 0.5
    world.use_path(b, 0)
    world.flow((0,))
    assert kinds(world.flight[0, 1]) == [PONG, PING]


def test_a_pong_has_what_went_before_its_ping_sent_again_and_a_busy_one_has_not():
    for kind, again in ((PONG, 1), (BUSY, 0)):
        world, a, b = make_world()
        a.session.send(b"x", 1)
        for _ in range(2):
            world.now += 1.1
            a.session.tick(world.now)
        (ping,) = frames_of(a.session)
        control(world, (b, a), kind, HEADER.unpack(ping)[3])
        assert kinds(frames_of(a.session)) == [DATA] * again
        assert a.session.rtt == 0.0


# -- what a receiver checks ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "number", "acked", "payload", "message"),
    [
        (0, 1, 0, b"", "unknown kind: 0"),
        (BUSY + 1, 1, 0, b"", "unknown kind: 10"),
        (DATA, 1, 1, b"", "acknowledgement of frame 1, while 0 were sent"),
        (PART, 1, 0, bytes(301), "a batch of more than 300 bytes"),
        (HELLO, 1, 0, b"\xc1", "not a hello"),
        (HELLO, 1, 0, write_parameters(SessionParameters(frame_limit=1000)), "nothing fits"),
    ],
)
def test_what_breaks_the_protocol_is_refused_and_changes_nothing(kind, number, acked, payload, message):
    world, a, b = make_world(second=SessionParameters(message_limit=300))
    own, peer = a.session.incarnations
    with pytest.raises(ValueError, match=message):
        b.session.receive(HEADER.pack(kind, own, peer, number, acked) + payload, world.now)
    assert not b.session.instructions
    world.send(a, 250, 5)
    world.advance(0.1, (0, 1))
    assert world.items[1].taken_by


def test_a_short_frame_and_a_hello_of_nobody_are_refused():
    _, a, _ = make_world()
    with pytest.raises(ValueError, match="24 bytes are no header"):
        a.session.receive(bytes(24), 0.0)
    with pytest.raises(ValueError, match="incarnation 0"):
        a.session.receive(HEADER.pack(HELLO, 0, 0, 1, 0) + write_parameters(SessionParameters()), 0.0)


def test_parts_never_are_more_than_the_largest_batch():
    world, a, b = make_world(second=SessionParameters(message_limit=1000))
    own, peer = a.session.incarnations
    part = HEADER.pack(PART, own, peer, 1, 0) + bytes(600)
    assert b.session.receive(part, world.now) is None
    more = HEADER.pack(DATA, own, peer, 2, 0) + bytes(401)
    with pytest.raises(ValueError, match="more than 1000"):
        b.session.receive(more, world.now)
    assert b.session.receive(part, world.now) is None  # an old one again
    assert b.session.receive(more[:-1], world.now) == bytes(1000)


# -- giving up ----------------------------------------------------------------------------------------------


def test_an_end_that_is_away_is_given_up_soon():
    world, a, _ = make_world()
    world.cut |= {(0, 1), (0, 0)}
    world.send(a)
    a.session.lose(world.now, "bounced")
    world.advance(2.9)
    assert a.session.is_open
    world.advance(0.5)
    assert world.items[1].failed == "it was disconnected for 3 s"
    assert a.session.state is State.IDLE


def test_an_end_that_answers_is_not_away():
    world, a, _ = make_world()
    world.send(a)
    a.session.lose(world.now, "bounced")
    world.advance(5.0, (0, 1))
    assert a.session.is_open
    assert world.items[1].taken_by


def test_a_bounce_while_greeting_ends_the_search():
    session = Session(iter(range(1, 100)).__next__, SessionParameters())
    session.use_path(0.0)
    session.connect(0.0)
    session.lose(0.0, "there is no such container")
    assert instructions_of(session, Ended) == [Ended("there is no such container")]
    assert session.state is State.IDLE


def test_time_in_which_the_own_process_stood_still_does_not_count():
    world, a, _ = make_world()
    world.send(a)
    a.session.lose(world.now, "bounced")
    world.advance(1.0, ())
    world.now += 40.0
    a.session.tick(world.now)
    assert not instructions_of(a.session, Ended)
    assert a.session.is_open


def test_closing_ends_when_the_other_end_stays_silent():
    world, a, _ = make_world()
    world.cut |= {(0, 1), (0, 0)}
    a.session.close()
    world.perform(a)
    world.advance(31.0)
    assert a.session.state is State.CLOSED


def test_a_silent_end_is_forgotten_though_nothing_waits_for_it():
    world, a, _ = make_world()
    world.cut |= {(0, 1), (0, 0)}
    world.advance(300.0, step=1.0)
    assert a.session.is_open
    world.advance(15.0, step=1.0)
    assert a.session.state is State.IDLE


@pytest.mark.parametrize("is_heard", [False, True])
def test_a_way_is_in_doubt_when_pings_stay_unanswered(is_heard):
    world, a, b = make_world()
    a.session.send(b"x", 1)
    started = world.now
    for _ in range(30):
        world.now += 0.25
        if is_heard:
            control(world, (b, a), ACK)
        a.session.tick(world.now)
        if instructions_of(a.session, Doubt):
            break
    assert 4 < world.now - started < 6


def test_an_end_that_is_heard_but_answers_nothing_is_given_up_and_answered_no_more():
    world, a, b = make_world()
    a.session.send(b"x", 1)
    started = world.now
    answers = []
    for _ in range(140):
        world.now += 0.5
        control(world, (b, a), PING, 9)
        a.session.tick(world.now)
        ended = [it for it in a.session.instructions if isinstance(it, Ended)]
        answers += [world.now - started for frame in frames_of(a.session) if frame[0] == PONG]
        if ended:
            break
    assert ended == [Ended("it has not answered for 60 s")]
    assert 29 < max(answers) < 32  # so the other end's lease of 25 s is over


# -- the lease ----------------------------------------------------------------------------------------------


def test_after_25_s_without_an_answer_nothing_is_taken_until_the_other_end_is_asked():
    world, a, b = make_world()
    frame = a.session.send(b"x", 1)
    world.now += 26.0
    assert b.session.receive(frame, world.now) is None
    (question,) = frames_of(b.session)
    assert a.session.receive(question, world.now) is None
    (answer,) = frames_of(a.session)
    b.session.receive(answer, world.now)
    assert kinds(frames_of(b.session)) == [LOST]
    assert b.session.receive(frame, world.now) == b"x"


def test_a_question_that_was_answered_counts_as_heard():
    """Otherwise who answered gives up before the lease is over that the answer has given."""
    world, a, b = make_world()
    stuck = a.session.send(b"x", 1)
    for _ in range(28):
        world.now += 1.0
        a.session.tick(world.now)
    a.session.instructions.clear()
    assert b.session.receive(stuck, world.now) is None  # it asks whether it has been given up
    a.session.receive(*frames_of(b.session), world.now)
    b.session.receive(*frames_of(a.session), world.now)
    for _ in range(4):
        world.now += 1.0
        a.session.tick(world.now)
    assert not instructions_of(a.session, Failed)
    assert b.session.receive(stuck, world.now) == b"x"


def test_only_the_answer_to_the_latest_ping_says_that_the_other_end_is_there():
    world, a, b = make_world()
    frame = b.session.send(b"x", 1)
    for seconds in (24.0, 2.0):
        a.session.ask(world.now)
        assert kinds(frames_of(a.session)) == [PING]
        control(world, (b, a), PONG, 1)  # the second time, it is an old one
        world.now += seconds
    assert a.session.receive(frame, world.now) is None
    control(world, (b, a), PONG, 2)
    assert a.session.receive(frame, world.now) == b"x"


# -- greeting -----------------------------------------------------------------------------------------------


def test_versions_that_do_not_meet_end_it_for_both_with_the_reason():
    world = World(*[SessionParameters(versions=(3, 4))] * 2)
    for end in world.ends:
        world.send(end)
    for _ in range(20):
        world.flow()
    reason = "it supports versions 3 to 4 of the link protocol, and this container 2 to 2"
    assert [item.failed for item in world.items.values()] == [reason, reason]
    assert all(end.session.state is State.IDLE for end in world.ends)
    assert world.greetings <= 6


def test_an_old_hello_changes_nothing():
    world, a, b = make_world()
    old = list(world.hellos[0])
    world.start(b)
    b.session.connect(world.now)
    world.perform(b)
    for _ in range(4):
        world.flow()
    pair = a.session.incarnations
    for frame in old * 3:
        world.receive(a, frame)
        for _ in range(4):
            world.flow()
    assert a.session.incarnations == pair
    assert a.session.is_open
    assert b.session.incarnations == pair[::-1]


def test_an_old_hello_does_not_end_a_session_that_closes():
    world, a, b = make_world()
    old = HEADER.pack(HELLO, 77, 0, 78, 0) + write_parameters(SessionParameters())
    world.send(a)
    a.session.close()
    world.perform(a)
    world.receive(a, old)
    assert a.session.state is State.CLOSING
    world.advance(1.0, (0, 1))
    assert world.items[1].taken_by
    assert a.session.state is State.CLOSED
    assert b.session.state is State.IDLE


def test_an_end_that_closes_learns_that_the_other_was_restarted():
    world, a, b = make_world()
    world.start(b)
    world.send(a)
    a.session.close()
    world.perform(a)
    world.advance(2.0, (0, 1))
    assert a.session.state is State.CLOSED
    assert world.items[1].failed == "it was restarted"
    assert not b.session.is_open


def test_what_lay_at_an_end_that_was_restarted_fails_where_the_other_closes():
    parameters = SessionParameters(receipts=True)
    world, a, b = make_world(parameters, parameters)
    world.send(a)
    world.flow((1,))
    b.session.receiving.acknowledge()
    world.perform(b)
    world.flow((0,))
    assert len(a.session.unconsumed) == 1
    world.start(b)
    a.session.close()
    world.perform(a)
    world.advance(8.0, (0, 1))
    assert a.session.state is State.CLOSED
    assert world.items[1].failed == "it was restarted"


@pytest.mark.parametrize("gives", [(True, False), (False, True)])
def test_without_receipts_on_both_sides_nothing_acknowledged_is_kept(gives):
    world, a, b = make_world(*(SessionParameters(receipts=each) for each in gives))
    for end in (a, b):
        world.send(end)
    world.advance(1.0, (0, 1))
    assert a.session.unacknowledged == b.session.unacknowledged == 0
    assert len(a.session.unconsumed) == len(b.session.unconsumed) == 0


def test_who_was_given_up_learns_what_was_taken_before():
    world, a, b = make_world()
    world.send(a)
    world.flow((1,))
    b.session.end("no use")
    world.send(a)
    world.advance(1.0, (0, 1))
    assert world.items[1].failed is None
    assert world.items[2].failed.startswith("it was restarted, or had given up on this container")
    assert a.session.is_open


def test_both_ends_may_call_at_once():
    world = World(SessionParameters(), SessionParameters())
    for end in world.ends:
        world.send(end)
    for _ in range(4):
        world.flow()
    assert all(item.taken_by for item in world.items.values())
    assert world.greetings <= 6


def test_a_question_that_stays_unanswered_is_replaced_so_that_an_answer_shows_who_is_there_now():
    session = Session(iter(range(1, 100)).__next__, SessionParameters())
    session.use_path(0.0)
    session.connect(0.0)
    for second in range(1, 12):
        session.tick(float(second))
    questions = [HEADER.unpack_from(frame)[3] for frame in frames_of(session)]
    assert questions == [2] * 11 + [3]


def test_terms_survive_what_is_missing_and_what_is_new():
    assert read_parameters(b"\x80") == SessionParameters()
    assert read_parameters(b"\x81\xa3new\x01") == SessionParameters()


# -- the end ------------------------------------------------------------------------------------------------


def test_closing_drains_and_tells_what_was_taken():
    world, a, b = make_world(second=SessionParameters(window_frames=2))
    for _ in range(5):
        world.send(a)
    a.session.close()
    world.perform(a)
    world.advance(1.0, (0, 1), step=0.05)
    assert all(item.taken_by for item in world.items.values())
    assert a.session.state is State.CLOSED
    assert b.session.state is State.IDLE


def test_a_frozen_end_that_closes_says_what_it_has_taken():
    world, a, b = make_world()
    b.session.receiving.freeze(is_frozen=True)
    world.send(a)
    world.flow()
    b.session.close()
    world.perform(b)
    world.flow()
    assert world.items[1].failed is None
    assert a.session.state is State.IDLE


def test_a_closed_end_answers_nothing():
    world, a, b = make_world()
    question = HEADER.pack(HELLO, *b.session.incarnations, 5, 0) + write_parameters(SessionParameters())
    frame = b.session.send(b"x", 1)
    own, peer = b.session.incarnations
    a.session.abandon("stopped")
    a.session.instructions.clear()
    for each in (question, frame, HEADER.pack(PING, own, peer, 1, 0), HEADER.pack(CLOSE, own, peer, 2, 0)):
        assert a.session.receive(each, world.now) is None
    a.session.tick(world.now + 1.0)
    a.session.connect(world.now)
    assert not a.session.instructions


def test_who_closes_is_closed_by_whatever_acknowledges_it():
    world, a, b = make_world()
    a.session.close()
    a.session.instructions.clear()
    control(world, (b, a), PING, 1, 1)
    assert a.session.state is State.CLOSED
    assert not frames_of(a.session)


def test_if_both_close_both_are_closed():
    world, a, b = make_world()
    for end in (a, b):
        world.send(end)
        end.session.close()
        world.perform(end)
    world.advance(1.0, (0, 1))
    assert a.session.state is b.session.state is State.CLOSED
    assert not world.outstanding()


def test_what_the_old_session_gives_back_comes_before_the_new_one():
    world, a, b = make_world()
    world.start(b)
    a.session.send(b"x", "item")
    b.session.connect(world.now)
    seen = []
    for _ in range(2):
        for sender, receiver in ((b, a), (a, b)):
            seen += [it for it in sender.session.instructions if sender is a and not isinstance(it, Transmit)]
            for frame in frames_of(sender.session):
                receiver.session.receive(frame, world.now)
    assert [type(it) for it in seen] == [Failed, Opened]
    assert seen[0].items == ["item"]


# -- what the other end can make this one keep --------------------------------------------------------------


def test_the_other_ends_window_counts_no_more_than_ones_own():
    world, a, b = make_world(
        SessionParameters(window_frames=8, window_bytes=5000),
        SessionParameters(window_frames=1 << 52, window_bytes=1 << 52),
    )
    for _ in range(20):
        world.send(a)
    assert len(a.session.sending._unacked) == 8
    world.advance(0.5, (0, 1), step=0.05)
    for _ in range(6):
        world.send(a, 2000)
    assert len(a.session.sending._unacked) == 2
    world.advance(0.5, (0, 1), step=0.05)
    assert all(item.taken_by for item in world.items.values())
    assert b.session.is_open


def test_of_a_hello_nothing_is_kept_but_numbers_and_a_long_one_is_refused():
    session = Session(iter(range(1, 100)).__next__, SessionParameters())
    session.use_path(0.0)
    session.connect(0.0)
    (hello,) = frames_of(session)
    question = HEADER.unpack_from(hello)[3]
    header = HEADER.pack(HELLO, 7, session.sending.own, 0, question)
    with pytest.raises(ValueError, match="a hello with 20"):
        session.receive(header + write_parameters(SessionParameters(offer="x" * 20_000)), 0.0)
    session.receive(header + write_parameters(SessionParameters(offer=[[]] * 5000)), 0.0)
    assert session.is_open
    assert session.sending.other.offer is None


def test_one_that_holds_acknowledgements_back_takes_no_more_than_its_window():
    for parameters, size, taken in (
        (SessionParameters(window_frames=4), 10, 4),
        (SessionParameters(window_bytes=1000), 400, 2),
        (SessionParameters(window_bytes=1000), 4000, 1),
    ):
        world, a, b = make_world(SessionParameters(), parameters)
        b.session.receiving.freeze(is_frozen=True)
        own, peer = a.session.incarnations
        frames = [HEADER.pack(DATA, own, peer, number, 0) + bytes(size) for number in range(1, 9)]
        for frame in frames[:taken]:
            assert b.session.receive(frame, world.now) is not None
        before = state_of(b.session)
        with pytest.raises(ValueError, match="the window ends before"):
            b.session.receive(frames[taken], world.now)
        assert state_of(b.session) == before
        b.session.receiving.freeze(is_frozen=False)
        assert b.session.receive(frames[taken], world.now) is not None
