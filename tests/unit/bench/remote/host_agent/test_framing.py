"""Frames, however the stream is cut, whatever it holds."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.remote.host_agent.framing import Frames, FramingError
from formicary_bench.remote.host_agent.protocol import (
    LARGEST_FRAME,
    Beat,
    Data,
    Ended,
    Said,
    SendOrder,
    decode_agent_message,
    decode_controller_message,
    frame,
)

_WORDS = st.one_of(
    st.builds(Said, worker=st.integers(0, 99), line=st.binary(max_size=300)),
    st.builds(Data, worker=st.integers(0, 99), part=st.binary(max_size=3000)),
    st.builds(Ended, worker=st.integers(0, 99), code=st.integers(-64, 255), last_words=st.text(max_size=50)),
)


def _cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[begin:end] for begin, end in pairwise(edges)]


@given(st.lists(_WORDS, max_size=8), st.lists(st.integers(0, 1 << 20), max_size=20))
def test_what_is_said_arrives_whole_and_in_order_however_it_is_cut(words, places):
    frames = Frames()
    bodies = [body for piece in _cut(b"".join(map(frame, words)), places) for body in frames.feed(piece)]
    assert [decode_agent_message(body) for body in bodies] == words


def test_byte_by_byte():
    frames = Frames()
    demands = [Beat(7), SendOrder(3, b'{"type":"go"}')]
    data = b"".join(map(frame, demands))
    bodies = [body for place in range(len(data)) for body in frames.feed(data[place : place + 1])]
    assert [decode_controller_message(body) for body in bodies] == demands


def test_nothing_is_given_before_a_frame_is_complete():
    frames = Frames()
    data = frame(Beat(7))
    assert frames.feed(data[:-1]) == []
    assert len(frames.feed(data[-1:])) == 1


def test_a_frame_of_the_largest_size_is_taken():
    frames = Frames()
    body = bytes(LARGEST_FRAME)
    assert frames.feed(LARGEST_FRAME.to_bytes(4, "big") + body) == [body]


@given(st.integers(LARGEST_FRAME + 1, (1 << 32) - 1))
def test_a_longer_one_is_refused_before_it_is_read(length):
    with pytest.raises(FramingError, match=str(length)):
        Frames().feed(length.to_bytes(4, "big"))


@given(st.binary(max_size=2000), st.lists(st.integers(0, 2000), max_size=10))
def test_garbage_is_refused_or_waited_for_and_nothing_else_happens(garbage, places):
    frames = Frames()
    try:
        for piece in _cut(garbage, places):
            for body in frames.feed(piece):
                decode_agent_message(body)
    except (FramingError, msgspec.DecodeError):
        return
    assert len(frames._rest) <= len(garbage)
