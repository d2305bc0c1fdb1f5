"""Links without numbers: they greet and part as others do, and keep nothing of what they carry."""

from itertools import count

import pytest

from formicary.transport.link.header import CLOSE, DATA, HEADER, HELLO, PART, SessionParameters
from formicary.transport.link.instructions import Transmit
from formicary.transport.link.session import Session, State
from formicary_bench.subjects.variants.links import UnnumberedSession

_numbers = count(1)


def frames_of(session):
    """Take what a session wants sent."""
    return [one.frame for one in session.take_instructions() if isinstance(one, Transmit)]


def settle(one, other, now=0.0):
    """Carry frames between two ends until there are none; return the frames and the batches."""
    carried, batches = [], []
    ends = [(one, other), (other, one)]
    while waiting := [(frame, far) for near, far in ends for frame in frames_of(near)]:
        for frame, far in waiting:
            carried.append(frame)
            batch = far.receive(frame, now)
            if batch is not None:
                batches.append(bytes(batch))
    return carried, batches


@pytest.fixture
def ends():
    """Two ends that have found each other, and what was sent meanwhile."""
    one, other = (UnnumberedSession(lambda: next(_numbers), SessionParameters()) for _ in range(2))
    one.send(b"early", ["letter"])
    for end in (one, other):
        end.use_path(0.0)
        end.connect(0.0)
    carried, batches = settle(one, other)
    assert one.is_open
    assert other.is_open
    assert batches == [b"early"]
    assert {HEADER.unpack_from(frame)[0] for frame in carried} == {HELLO, DATA}
    return one, other


def test_a_frame_has_no_number_and_is_forgotten(ends):
    one, other = ends
    frame = one.send(b"batch", ["letter"])
    kind, sender, receiver, number, acknowledged = HEADER.unpack_from(frame)
    assert (kind, sender, receiver) == (DATA, *one.incarnations)
    assert (number, acknowledged) == (0, 0)
    assert bytes(other.receive(frame, 1.0)) == b"batch"
    assert (one.unacknowledged, one.is_busy, other.is_busy) == (0, False, False)
    assert settle(one, other) == ([], [])  # nothing is acknowledged


def test_its_frames_are_as_long_as_those_with_numbers(ends):
    assert len(ends[0].send(b"batch", [])) == HEADER.size + len(b"batch")


def test_parts_are_put_together(ends):
    one, other = ends
    first = one.send(b"x" * 5000, None, PART)
    last = one.send(b"end", ["letter"])
    assert other.receive(first, 1.0) is None
    assert bytes(other.receive(last, 1.0)) == b"x" * 5000 + b"end"


def test_it_parts_as_others_do(ends):
    one, other = ends
    one.close()
    carried, _ = settle(one, other)
    assert CLOSE in {HEADER.unpack_from(frame)[0] for frame in carried}
    assert (one.state, other.is_open) == (State.CLOSED, False)


def test_the_link_that_it_is_held_against_numbers_and_keeps(ends):
    one, other = (Session(lambda: next(_numbers), SessionParameters()) for _ in range(2))
    for end in (one, other):
        end.use_path(0.0)
        end.connect(0.0)
    settle(one, other)
    frame = one.send(b"batch", ["letter"])
    assert HEADER.unpack_from(frame)[3] == 1
    assert one.unacknowledged == 1
