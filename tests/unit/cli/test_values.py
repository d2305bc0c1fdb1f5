from __future__ import annotations

import pytest

from formicary.cli.values import parse, parse_condition, parse_pairs
from formicary.directory.model.query import Condition
from formicary.errors import UsageError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("20", 20),
        ("-1.5", -1.5),
        ("true", True),
        ("red", "red"),
        ('"20"', "20"),
        ('["a4", "a5"]', ["a4", "a5"]),
        ("", ""),
        ("a=b", "a=b"),
    ],
)
def test_a_value_is_json_or_else_text(text, value):
    assert parse("it", text) == value
    assert type(parse("it", text)) is type(value)


@pytest.mark.parametrize("text", ["[1", "{a}", '"half', "[" * 100_000])
def test_invalid_json_is_an_error(text):
    with pytest.raises(UsageError, match="looks like JSON but is not valid"):
        parse("it", text)


def test_pairs():
    assert parse_pairs("--argument", ["a=1", "b=x=y"]) == {"a": 1, "b": "x=y"}
    assert parse_pairs("--argument", None) == {}
    for pairs, sentence in ((["a"], "must be KEY=VALUE, not 'a'"), (["a=1", "a=2"], "'a' is given twice")):
        with pytest.raises(UsageError, match=sentence):
            parse_pairs("--argument", pairs)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("dpi>=300", Condition("dpi", ">=", 300)),
        ("dpi <= 300", Condition("dpi", "<=", 300)),
        ("dpi<300", Condition("dpi", "<", 300)),
        ("dpi>300", Condition("dpi", ">", 300)),
        ("colour!=red", Condition("colour", "!=", "red")),
        ("colour=a=b", Condition("colour", "=", "a=b")),
        ("model^=HP ", Condition("model", "prefix", "HP ")),
        ("size in a4, 5", Condition("size", "in", ("a4", 5))),
        ('size in ["a,b"]', Condition("size", "in", ("a,b",))),
        ("inside=x", Condition("inside", "=", "x")),
    ],
)
def test_conditions(text, condition):
    assert parse_condition(text) == condition


@pytest.mark.parametrize("text", ["", "dpi", "=3", ">=3", "dpi 300"])
def test_an_invalid_condition_is_an_error(text):
    with pytest.raises(UsageError, match="--where takes a property"):
        parse_condition(text)
