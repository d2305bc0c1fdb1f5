"""What is said to the directory's agent and by it: written, read, and refused with the reason."""

from __future__ import annotations

import json

import pytest
from tests.plugins.paths import ROOT

from formicary import Message
from formicary.directory import language
from formicary.directory.language import (
    Deregister,
    Gone,
    Modify,
    Register,
    Result,
    Search,
    Subscribe,
    decode_error,
    decode_request,
    decode_result,
    encode,
    encode_error,
    read_request,
)
from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.query import Condition, Query
from formicary.errors import (
    AlreadyRegisteredError,
    DirectoryError,
    DirectoryRequestError,
    FormicaryError,
    InvalidDescriptionError,
    NotRegisteredError,
    StoreError,
    UnauthorisedError,
)

PAGE = ROOT / "docs" / "directory.md"
AGENT = "alice@c1.lab.localhost"
PRINTER = ServiceDescription(AGENT, "printer", "p1", properties={"dpi": 600, "formats": ("pdf", "ps")})
SERVICE = {"agent": AGENT, "type": "printer"}


@pytest.mark.parametrize(
    "request_",
    [
        Register((PRINTER,)),
        Register((PRINTER, PRINTER.replace(name="p2")), lease=60.0),
        Modify((PRINTER,), lease=0.5),
        Deregister(AGENT),
        Deregister(AGENT, ("p1", "p2")),
        Search(Query(type="printer", where=(Condition("dpi", ">=", 300),))),
        Search(Query(), max_depth=2, search_id="s1"),
        Subscribe(Query(properties={"formats": ("pdf",)})),
    ],
)
def test_a_request_is_read_as_it_was_written(request_):
    performative = "subscribe" if isinstance(request_, Subscribe) else "request"
    message = Message(
        body=encode(request_),
        performative=performative,
        language="json",
        ontology="fipa-agent-management",
    )
    assert read_request(message) == request_


@pytest.mark.parametrize(
    "result",
    [
        Result("register"),
        Result("search", (PRINTER,)),
        Result("subscribe", (PRINTER,), (Gone(AGENT, "p2"),)),
        Result("subscribe", anew=True, more=True),
    ],
)
def test_a_result_is_read_as_it_was_written(result):
    assert decode_result(encode(result)) == result


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        ({"action": "search"}, "missing-parameter", "`query`"),
        ({"action": "register", "services": [{"agent": AGENT}]}, "missing-parameter", "`type`"),
        ({"action": "search", "query": {"kind": "a"}}, "unexpected-parameter", "`kind`"),
        ({"action": "deregister", "agent": AGENT, "all": True}, "unexpected-parameter", "`all`"),
        (
            {"action": "register", "services": [{**SERVICE, "colour": "red"}]},
            "unexpected-parameter",
            r"`colour` - at `\$.services\[0\]`",
        ),
        ({"action": "search", "query": {"type": 3}}, "unrecognised-parameter-value", "query.type"),
        ({"action": "search", "query": {"max_results": 10**6}}, "unrecognised-parameter-value", "1 to 10000"),
        ({"action": "search", "query": {}, "max_depth": 99}, "unrecognised-parameter-value", "0 to 16"),
        (
            {"action": "search", "query": {}, "search_id": "a" * 129},
            "unrecognised-parameter-value",
            "search_id has at most 128 characters",
        ),
        ({"action": "search", "query": {"where": [["a", "~", 1]]}}, "unrecognised-parameter-value", "~"),
        ({"action": "register", "services": []}, "unrecognised-parameter-value", "include at least one"),
        ({"action": "register", "services": [SERVICE] * 2}, "unrecognised-parameter-value", "same name"),
        (
            {"action": "register", "services": [SERVICE], "lease": 0},
            "unrecognised-parameter-value",
            "a lease must be more than 0",
        ),
        (
            {"action": "modify", "services": [{**SERVICE, "agent": "alice"}]},
            "unrecognised-parameter-value",
            "a full name",
        ),
        (
            {"action": "register", "services": [{**SERVICE, "properties": {"a": 2**70}}]},
            "unrecognised-parameter-value",
            "64 bits",
        ),
    ],
)
def test_invalid_requests_are_refused_with_the_reason(content, reason, message):
    with pytest.raises(DirectoryRequestError, match=message) as refused:
        decode_request(json.dumps(content))
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"performative": "inform"}, "unsupported-act"),
        ({"performative": None}, "unsupported-act"),
        ({"performative": "subscribe"}, "unexpected-act"),
        ({"language": "fipa-sl"}, "unsupported-value"),
        ({"ontology": "weather"}, "unsupported-value"),
    ],
)
def test_messages_of_other_kinds_are_not_understood(changes, reason):
    message = Message(body=encode(Search(Query())), performative="request", language="json")
    assert read_request(message) == Search(Query())
    with pytest.raises(DirectoryRequestError) as refused:
        read_request(message.replace(**changes))
    assert refused.value.reason == reason
    assert encode_error(refused.value)[0] == "not-understood"


@pytest.mark.parametrize(
    ("error", "performative", "read"),
    [
        (AlreadyRegisteredError("there is one"), "failure", AlreadyRegisteredError),
        (NotRegisteredError("there is none"), "failure", NotRegisteredError),
        (UnauthorisedError("it is bob's"), "refuse", UnauthorisedError),
        (StoreError("the disk is full"), "failure", DirectoryError),
        (FormicaryError("something else"), "failure", DirectoryError),
        (DirectoryRequestError("what?"), "not-understood", DirectoryRequestError),
        (DirectoryRequestError("no type", "missing-parameter"), "refuse", DirectoryRequestError),
        (InvalidDescriptionError("bad"), "refuse", DirectoryRequestError),
    ],
)
def test_an_error_is_read_as_the_error_that_it_was(error, performative, read):
    said, content = encode_error(error)
    again = decode_error(content)
    assert said == performative
    assert type(again) is read
    assert str(again) == str(error)
    assert again.reason == json.loads(content)["error"]


def test_searches_that_are_asked_again_are_read_once_and_not_many_are_remembered():
    first = decode_request('{"action": "search", "query": {"type": "a"}}')
    assert decode_request('{"action": "search", "query": {"type": "a"}}') is first
    for number in range(3000):
        assert decode_request(encode(Search(Query(type=str(number))))) == Search(Query(type=str(number)))
    assert len(language._searches) <= 1024
    long = encode(Search(Query(type="a" * 300)))
    register = encode(Register((PRINTER.replace(properties={}),)))
    for body in (long, register):
        assert decode_request(body) == decode_request(body)
        assert body not in language._searches


def test_invalid_results_are_refused():
    for body in ("", "[]", '{"done": "search", "services": [{"type": "a"}]}'):
        with pytest.raises(DirectoryRequestError, match="the directory's answer cannot be read"):
            decode_result(body)
