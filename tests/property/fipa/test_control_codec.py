"""Control messages between containers are validated when decoded."""

from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.fipa.control_codec import ControlDecoder, Number, encode


class Count(msgspec.Struct, array_like=True):
    number: Number


DECODER = ControlDecoder[Count](msgspec.msgpack.Decoder(Count), "a count")
BROKEN = [b"", b"\xc1", encode([-1]), encode([1 << 53]), encode(["1"]), b"\x91" * 10_000]


@given(st.integers(0, 2**53 - 1))
def test_what_was_written_is_read(number):
    assert DECODER.decode(memoryview(encode(Count(number)))) == Count(number)


@pytest.mark.parametrize("payload", BROKEN)
def test_what_is_no_message_of_the_channel_is_refused_with_what_it_should_be(payload):
    with pytest.raises(ValueError, match=r"^not a count: "):
        DECODER.decode(payload)


@given(st.binary(max_size=100))
def test_any_bytes_are_a_message_or_refused(payload):
    with suppress(ValueError):
        assert DECODER.decode(payload).number >= 0
