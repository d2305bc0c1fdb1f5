"""Queries: what they match, and what they refuse."""

from __future__ import annotations

import msgspec
import pytest

from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.query import MOST_CONDITIONS, Condition, Query
from formicary.errors import InvalidDescriptionError

PRINTER = ServiceDescription(
    "alice@c1.lab.localhost",
    "printer",
    "p1",
    protocols=("fipa-request", "fipa-query"),
    ontologies=("office",),
    languages=("json",),
    ownership="lab",
    properties={"dpi": 600, "speed": 1.5, "duplex": True, "room": "B-12", "formats": ("pdf", "ps")},
)


def ask(name, operator, value):
    return Query(where=[Condition(name, operator, value)])


@pytest.mark.parametrize(
    "query",
    [
        Query(),
        Query(type="printer"),
        Query(type="printer", name="p1", agent="alice@c1.lab.localhost", ownership="lab"),
        Query(protocols=["fipa-query"], ontologies=["office"], languages=["json"]),
        Query(protocols=["fipa-query", "fipa-request"]),
        Query(properties={"dpi": 600, "duplex": True}),
        Query(properties={"dpi": 600.0}),
        Query(properties={"formats": "pdf"}),
        Query(properties={"formats": ["ps", "pdf"]}),
        ask("dpi", "=", 600),
        ask("dpi", "!=", 300),
        ask("dpi", "!=", "600"),
        ask("dpi", "<", 600.5),
        ask("dpi", "<=", 600),
        ask("speed", ">", 1),
        ask("speed", ">=", 1.5),
        ask("dpi", "in", [300, 600]),
        ask("formats", "in", ["html", "ps"]),
        ask("room", "prefix", "B-"),
        ask("room", ">", "B"),
        ask("formats", "prefix", "p"),
        ask("formats", "!=", "html"),
    ],
)
def test_matches(query):
    assert query.matches(PRINTER)


@pytest.mark.parametrize(
    "query",
    [
        Query(type="scanner"),
        Query(type="printer", name="p2"),
        Query(agent="bob@c1.lab.localhost"),
        Query(ownership=""),
        Query(protocols=["fipa-query", "fipa-propose"]),
        Query(languages=["xml"]),
        Query(ontologies=["home"]),
        Query(properties={"dpi": 600, "duplex": False}),
        Query(properties={"dpi": "600"}),
        Query(properties={"duplex": 1}),
        Query(properties={"room": ["B-12"]}),
        Query(properties={"colour": "red"}),
        Query(properties={"formats": ["pdf", "html"]}),
        ask("dpi", "!=", 600),
        ask("dpi", "<", 600),
        ask("dpi", "<", "a"),
        ask("room", ">=", 0),
        ask("duplex", ">=", 0),
        ask("colour", "!=", "red"),
        ask("formats", "!=", "pdf"),
        ask("dpi", "in", [300, "600"]),
        ask("dpi", "in", []),
        ask("dpi", "prefix", "6"),
        Query(where=[Condition("dpi", "=", 600), Condition("dpi", "=", 300)]),
    ],
)
def test_does_not_match(query):
    assert not query.matches(PRINTER)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"max_results": 1_000_000},
            "max_results must be a number from 1 to 10000, not 1000000; search again",
        ),
        ({"max_results": 0}, "max_results must be a number from 1"),
        ({"max_results": True}, "max_results must be a number"),
        ({"max_results": "10"}, "max_results must be a number"),
        ({"offset": -1}, "offset must be a number from 0"),
        ({"offset": 2**63}, "offset must be a number from 0"),
        ({"type": 3}, "a service's type in a query must be text, not int"),
        ({"protocols": "fipa-request"}, "a service's protocols in a query must be a list of texts"),
        ({"properties": None}, "a service's properties must map names to values"),
        ({"properties": {"a": object()}}, "property 'a' must be text, a number"),
        ({"where": Condition("a", "=", 1)}, "where must be a list of Condition"),
        ({"where": ["a = 1"]}, "where must be a list of Condition"),
        ({"where": [Condition("a", "=", 1)] * (MOST_CONDITIONS + 1)}, "the limit is 16"),
    ],
)
def test_what_a_query_cannot_be_is_said_in_a_sentence(values, message):
    with pytest.raises(InvalidDescriptionError, match=message):
        Query(**values)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (("dpi", "~", 1), "'~' is not a query operator; use one of = != <"),
        (("dpi", ["="], 1), "is not a query operator"),
        ((3, "=", 1), "property's name must be text"),
        (("dpi", "=", None), "property 'dpi' in a query must be text, a number"),
        (("dpi", "in", 600), "property 'dpi' in a query is in a list, not 600"),
        (("dpi", "<", ["a"]), r"property 'dpi' in a query cannot be < \('a',\)"),
        (("dpi", ">", True), "cannot be > True"),
        (("dpi", "prefix", 6), "begins with a text, not 6"),
        (("dpi", "<", float("nan")), "a finite number"),
        (("dpi", "in", [1, float("inf")]), "a finite number"),
    ],
)
def test_what_a_condition_cannot_be_is_said_in_a_sentence(condition, message):
    with pytest.raises(InvalidDescriptionError, match=message):
        Condition(*condition)


def test_a_query_is_decoded_as_it_was_encoded():
    query = Query(type="printer", where=[Condition("dpi", "in", (1, "a", True))], properties={"a": ("b",)})
    for codec in (msgspec.json, msgspec.msgpack):
        assert codec.decode(codec.encode(query), type=Query) == query
    assert msgspec.json.encode(Query(ownership="", type="a")) == b'{"type":"a","ownership":""}'
