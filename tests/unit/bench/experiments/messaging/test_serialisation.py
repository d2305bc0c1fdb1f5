"""Objects that are encoded: all encodings give them back, and large ones make fewer trips."""

import pytest

from formicary_bench.experiments.messaging.serialisation import CODECS, JSON, NONE, Encoded, codec_of, record
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan


@pytest.mark.parametrize("codec", sorted({*CODECS} - {NONE}))
def test_an_object_comes_back_as_it_was(codec):
    encode, decode = codec_of(Encoded(codec=codec, fields=20))
    assert decode(encode(record(20))) == record(20)


def test_without_an_encoding_a_text_as_long_as_json_is_sent():
    encode, decode = codec_of(Encoded(codec=NONE, fields=20))
    as_json, _ = codec_of(Encoded(codec=JSON, fields=20))
    assert encode(None) == as_json(record(20))
    assert decode("as it is") == "as it is"


def test_large_objects_make_fewer_round_trips():
    plan = make_plan(parse("messaging/serialisation", codec=JSON, placement="same-container"))
    assert {one.parameters["fields"]: one.exchange.rounds for one in plan} == {
        1: (5000, 20_000, 0),
        10: (1250, 5000, 0),
        100: (125, 500, 0),
        1000: (25, 100, 0),
    }
