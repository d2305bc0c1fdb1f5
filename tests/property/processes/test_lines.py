"""Any bytes of another process, however cut, are a line of the protocol, or refused."""

import asyncio
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.processes.lines import Line, LineError, Lines, LongLineError


class Said(msgspec.Struct, frozen=True):
    number: int


@given(st.lists(st.integers(), max_size=9), st.lists(st.integers(0, 200), max_size=5))
def test_lines_are_the_same_however_the_bytes_come(numbers, cuts):
    data = b"".join(b'{"number":%d}\n' % number for number in numbers)
    places = sorted({0, *(min(cut, len(data)) for cut in cuts), len(data)})  # an empty piece is the end
    lines = Lines(Said)
    found = [said for begin, end in pairwise(places) for said in lines.feed(data[begin:end])]
    assert found == [*map(Said, numbers)]


@given(st.integers(1, 50), st.integers(0, 100))
def test_a_line_that_does_not_end_is_refused(longest, length):
    lines = Lines(str, longest)
    if length + 2 > longest:
        with pytest.raises(LongLineError, match=f"a line of more than {longest} bytes"):
            lines.feed(b'"' + b"x" * length + b'"')
    else:
        assert [*lines.feed(b'"' + b"x" * length + b'"\n')] == ["x" * length]


@given(st.binary(max_size=60) | st.integers().map(lambda number: b'{"number":%d}' % number))
def test_what_comes_is_understood_or_refused(data):
    async def hear():
        reader = asyncio.StreamReader()
        reader.feed_data(data + b"\n")
        reader.feed_eof()
        line, heard = Line(reader, None, Said), []
        while (said := await line.receive()) is not None:
            heard.append(said)
        return heard

    sentence = ""
    try:
        assert all(isinstance(said, Said) for said in asyncio.run(hear()))
    except LineError as error:
        sentence = str(error)
    assert len(sentence) < 1000
