"""An open direct connection: frames in whatever pieces they come, and how it ends."""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.transport.direct.connection import LONGEST_FRAME, DirectConnection


class Wire(asyncio.Transport):
    """A transport that keeps what it is given."""

    def __init__(self):
        super().__init__()
        self.written, self.is_reading, self.is_aborted, self.limit = [], False, False, None

    def set_write_buffer_limits(self, high=None, low=None):
        self.limit = high

    def write(self, data):
        self.written.append(data)

    def pause_reading(self):
        self.is_reading = False

    def resume_reading(self):
        self.is_reading = True

    def abort(self):
        self.is_aborted = True


class Ends:
    """A connection on such a transport, and what it has called."""

    def __init__(self, rest=b""):
        self.wire, self.dropped = Wire(), Counter()
        self.frames, self.rests, self.room, self.errors = [], [], [], []
        self.connection = DirectConnection(
            self.wire,
            "c2.lab.localhost",
            is_dialler=True,
            description="a wire",
            rest=rest,
            dropped=self.dropped,
        )

    def start(self, on_frame=None):
        self.connection.start(
            on_frame=on_frame or self.frames.append,
            on_read_end=lambda: self.rests.append(len(self.frames)),
            on_room=self.room.append,
            on_lost=self.errors.append,
        )
        return self


def framed(*frames):
    return b"".join(struct.pack("!I", len(frame)) + frame for frame in frames)


@given(
    st.lists(st.binary(max_size=40), max_size=8),
    st.lists(st.integers(0, 400), max_size=12),
    st.integers(0, 400),
)
async def test_frames_arrive_whole_however_they_are_cut(frames, cuts, started_at):
    data = framed(*frames)
    started_at %= len(data) + 1
    places = sorted({0, started_at, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    ends = Ends()
    for start, stop in itertools.pairwise(places):
        if start == started_at:
            ends.start()
        ends.connection.data_received(data[start:stop])
    if started_at == len(data):
        ends.start()
    assert ends.frames == frames


async def test_large_frames_arrive_whole():
    frames = [bytes([number]) * size for number, size in enumerate((100_000, 1, LONGEST_FRAME, 0, 300_000))]
    data, ends = framed(*frames), Ends().start()
    for start in range(0, len(data), 65_536):
        ends.connection.data_received(data[start : start + 65_536])
    assert ends.frames == frames


async def test_rest_is_told_once_for_everything_that_came_at_once():
    ends = Ends().start()
    ends.connection.data_received(framed(b"a", b"b", b"c") + b"\0\0")
    assert ends.rests == [3]
    ends.connection.data_received(b"\0\1d" + framed(b"e"))
    assert ends.rests == [3, 5]


async def test_what_came_with_the_opening_is_passed_on_first():
    ends = Ends(rest=framed(b"a", b"b")[:7])
    ends.connection.data_received(framed(b"a", b"b")[7:])
    assert not ends.wire.is_reading
    ends.start()
    assert ends.frames == [b"a", b"b"]
    assert ends.wire.is_reading


async def test_a_frame_that_is_too_long_ends_the_connection():
    ends = Ends().start()
    ends.connection.data_received(framed(b"a") + struct.pack("!I", LONGEST_FRAME + 1))
    assert ends.wire.is_aborted
    ends.connection.connection_lost(None)
    assert ends.frames == [b"a"]
    assert "sent a frame of 1049601 bytes" in str(ends.errors[0])
    assert ends.dropped == {"frame too long": 1}


async def test_what_is_sent_has_its_length_before_it():
    ends = Ends().start()
    ends.connection.send(b"hello")
    ends.connection.send(b"")
    assert ends.wire.written == [b"\0\0\0\5hello", b"\0\0\0\0"]


async def test_room_is_told_and_known():
    ends = Ends().start()
    assert ends.connection.has_room
    assert ends.wire.limit == 1 << 20
    ends.connection.pause_writing()
    assert not ends.connection.has_room
    ends.connection.resume_writing()
    assert ends.connection.has_room
    assert ends.room == [False, True]


async def test_the_end_is_told_once_and_nothing_is_sent_after_it():
    ends = Ends().start()
    ends.connection.connection_lost(ConnectionResetError("reset"))
    ends.connection.send(b"more")
    ends.connection.data_received(framed(b"late"))
    assert [str(error) for error in ends.errors] == [
        "the direct connection to c2.lab.localhost (a wire) broke: reset"
    ]
    assert ends.wire.written == []
    assert ends.frames == []


async def test_an_end_before_the_start_is_told_after_it():
    ends = Ends(rest=framed(b"last words"))
    ends.connection.connection_lost(None)
    ends.start()
    assert ends.errors == []
    await asyncio.sleep(0)
    assert ends.frames == [b"last words"]
    assert "was closed by the other side" in str(ends.errors[0])


async def test_nothing_is_called_after_an_abort():
    ends = Ends()

    def stop(frame):
        ends.frames.append(frame)
        ends.connection.abort()

    ends.start(stop)
    ends.connection.data_received(framed(b"a", b"b"))
    ends.connection.pause_writing()
    ends.connection.connection_lost(None)
    assert ends.frames == [b"a"]
    assert (ends.rests, ends.room, ends.errors) == ([], [], [])


async def test_a_transport_that_is_gone_already_does_no_harm():
    ends = Ends().start()

    def gone(*_):
        raise RuntimeError("the handler is closed")

    ends.wire.write = ends.wire.pause_reading = ends.wire.resume_reading = gone
    ends.connection._write = gone
    ends.connection.send(b"a")
    ends.connection.pause()
    ends.connection.resume()
    ends.connection.connection_lost(None)
    assert len(ends.errors) == 1


@pytest.mark.parametrize("exc", [None, OSError("host unreachable")])
async def test_closing_what_has_ended_returns(exc):
    ends = Ends().start()
    ends.connection.connection_lost(exc)
    await ends.connection.close()
    assert len(ends.errors) == 1
