"""What is said to a management agent and by it: written, read, and refused with the reason."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.plugins.paths import ROOT

from formicary import AgentState, Message
from formicary.errors import (
    FormicaryError,
    InvalidNameError,
    ManagementError,
    ManagementRequestError,
    NameTakenError,
    UnauthorisedError,
    UnknownAgentError,
)
from formicary.management.descriptions import (
    AgentDescription,
    AgentPlace,
    ContainerDescription,
    LinkDescription,
    Missing,
    NotCreated,
)
from formicary.management.requests.actions import actions, decode_request, read_request
from formicary.management.requests.creating import MOST_NAMES, Create, CreateMany, Tried
from formicary.management.requests.language import (
    Result,
    decode_error,
    decode_result,
    encode,
    encode_error,
    make_request,
)
from formicary.management.requests.lives import Kill, Resume, Suspend
from formicary.management.requests.looking_up import (
    AgentsFound,
    Containers,
    ListContainers,
    Locate,
    Located,
    Search,
)

PAGE = ROOT / "docs" / "management.md"
ALICE = AgentDescription("alice@c1.lab.localhost", AgentState.ACTIVE, "c1.lab.localhost", "shop:Alice")
LINK = LinkDescription("c2.lab.localhost", "direct", True, 3, 4, 0, 0, None)
NOBODY = AgentPlace("nobody@c1.lab.localhost", reason="no agent named 'nobody' lives in container c1")
C1 = ContainerDescription(
    name="c1",
    domain="c1.lab.localhost",
    is_main=True,
    incarnation=7,
    host="h",
    pid=1,
    python="3.11.7",
    started=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    agents=1,
    dead_letters=0,
    links=(LINK,),
)


def create_many(*names):
    return {"action": "create-many", "class": "a:B", "names": names}


@pytest.mark.parametrize(
    "request_",
    [
        Search(),
        Search("prin*", AgentState.SUSPENDED, 5, 10, container="c2.lab.localhost"),
        ListContainers(),
        ListContainers(container="c2"),
        Locate(agents=("alice", "bob@c2")),
        Locate(agents=("alice@c1.lab.localhost",), container="c2"),
        Suspend("alice"),
        Resume("alice@c2"),
        Kill("alice@c2.lab.localhost"),
        Create(class_name="shop.staff:Clerk", name="bob"),
        Create(
            class_name="shop:Clerk",
            name="bob",
            container="c2",
            arguments={"desk": 3, "tools": ["pen", {"ink": None}]},
        ),
        CreateMany(class_name="shop.staff:Clerk", names=("bob",)),
        CreateMany(class_name="shop:Clerk", names=("bob", "eve"), container="c2", arguments={"desk": 3}),
    ],
)
def test_a_request_is_read_as_it_was_written(request_):
    message = Message(
        body=encode(request_),
        performative="request",
        language="json",
        ontology="fipa-agent-management",
        protocol="fipa-request",
    )
    assert read_request(message) == request_


@pytest.mark.parametrize(
    "result",
    [
        AgentsFound("search"),
        AgentsFound("search", agents=(ALICE,), missing=(Missing("c2.lab.localhost", "it is away"),)),
        Result("create", agent=ALICE.name),
        Tried("create-many", tried=3, failed=(NotCreated(ALICE.name, "already-registered", "It is."),)),
        Containers("list-containers", containers=(C1,)),
        Located("locate", places=(AgentPlace(ALICE.name, ALICE.container, ALICE.state), NOBODY)),
    ],
)
def test_a_result_is_read_as_it_was_written(result):
    assert decode_result(encode(result), type(result)) == result


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        ({"action": "kill"}, "missing-parameter", "`agent`"),
        ({"action": "create", "name": "a"}, "missing-parameter", "`class`"),
        ({"action": "create", "class": "a:B"}, "missing-parameter", "`name`"),
        ({"action": "kill", "agent": "a", "now": True}, "unexpected-parameter", "`now`"),
        ({"action": "search", "class_name": "a"}, "unexpected-parameter", "`class_name`"),
        ({"action": "search", "name": 3}, "unrecognised-parameter-value", r"\$.name"),
        ({"action": "search", "name": "a" * 2000}, "unrecognised-parameter-value", "at most 1300"),
        ({"action": "search", "state": "asleep"}, "unrecognised-parameter-value", "asleep"),
        (
            {"action": "search", "container": "C 2"},
            "unrecognised-parameter-value",
            "is not a valid container name",
        ),
        (
            {"action": "search", "container": "c2.-"},
            "unrecognised-parameter-value",
            "is not a valid platform domain",
        ),
        ({"action": "search", "max_results": 10**6}, "unrecognised-parameter-value", "0 to 100000"),
        ({"action": "search", "max_results": -1}, "unrecognised-parameter-value", "0 to 100000"),
        ({"action": "search", "offset": -1}, "unrecognised-parameter-value", "an offset must be 0 to"),
        ({"action": "search", "offset": 2**60}, "unrecognised-parameter-value", "an offset must be 0 to"),
        ({"action": "search", "offset": 2**70}, "unrecognised-parameter-value", "offset"),
        ({"action": "search", "offset": 99_001}, "unrecognised-parameter-value", "specify a container"),
        (
            {"action": "list-containers", "container": ""},
            "unrecognised-parameter-value",
            "is not a valid container name",
        ),
        ({"action": "kill", "agent": "a b"}, "unrecognised-parameter-value", "contains ' '"),
        ({"action": "suspend", "agent": ""}, "unrecognised-parameter-value", "empty"),
        ({"action": "resume", "agent": "a@c 1"}, "unrecognised-parameter-value", "c 1"),
        (
            {"action": "deactivate", "agent": "a", "until": "soon"},
            "unrecognised-parameter-value",
            "an agent sleeps for a number of seconds, until a time with .* or until 'message', not 'soon'",
        ),
        ({"action": "deactivate", "agent": "a"}, "missing-parameter", "`until`"),
        ({"action": "locate"}, "missing-parameter", "`agents`"),
        ({"action": "locate", "agents": []}, "unrecognised-parameter-value", "1 to 10000 agents, not 0"),
        (
            {"action": "locate", "agents": ["a"] * (MOST_NAMES + 1)},
            "unrecognised-parameter-value",
            "1 to 10000 agents, not 10001",
        ),
        ({"action": "locate", "agents": ["a b"]}, "unrecognised-parameter-value", "contains ' '"),
        ({"action": "locate", "agents": [3]}, "unrecognised-parameter-value", "Expected `str`"),
        ({"action": "locate", "agents": "a"}, "unrecognised-parameter-value", "array"),
        (
            {"action": "locate", "agents": ["a"], "container": "c 2"},
            "unrecognised-parameter-value",
            "is not a valid container name",
        ),
        ({"action": "create-many", "class": "a:B"}, "missing-parameter", "`names`"),
        (create_many("bob", "b b"), "unrecognised-parameter-value", "contains ' '"),
        (create_many("bob", 3), "unrecognised-parameter-value", "Expected `str`"),
        (create_many(), "unrecognised-parameter-value", "1 to 10000 agents, not 0"),
        (create_many(*map(str, range(MOST_NAMES + 1))), "unrecognised-parameter-value", "not 10001"),
        (create_many("al", "bob", "al"), "unrecognised-parameter-value", "the name 'al' is given twice"),
        (
            {"action": "create", "class": "a:B", "name": "x@c1"},
            "unrecognised-parameter-value",
            "contains '@'",
        ),
        (
            {"action": "create", "class": "a:B", "name": "x", "arguments": [1]},
            "unrecognised-parameter-value",
            r"\$.arguments",
        ),
    ],
)
def test_invalid_requests_are_refused_with_the_reason(content, reason, message):
    with pytest.raises(ManagementRequestError, match=message) as refused:
        decode_request(json.dumps(content))
    assert refused.value.reason == reason


def test_in_one_container_one_may_go_further_than_everywhere():
    read = decode_request('{"action": "search", "container": "c1", "offset": 5000000, "max_results": 100000}')
    assert (read.offset, read.max_results) == (5_000_000, 100_000)


@given(
    st.text()
    | st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["action", "name", "class", "agent", "arguments", "container", "offset"])
                | st.text(),
                inner | st.sampled_from(["search", "kill", "create", "list-containers"]),
            )
        ),
    ).map(json.dumps)
)
def test_whatever_the_content_it_is_read_or_refused_with_a_known_reason(content):
    error = None
    try:
        request = decode_request(content)
    except ManagementRequestError as refused:
        error = refused
    if error is None:
        assert decode_request(encode(request)) == request
    else:
        assert json.loads(encode_error(error)[1])["error"] == error.reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"performative": "inform"}, "unsupported-act"),
        ({"performative": None}, "unsupported-act"),
        ({"performative": "subscribe"}, "unsupported-act"),
        ({"language": "fipa-sl"}, "unsupported-value"),
        ({"ontology": "weather"}, "unsupported-value"),
        ({"protocol": "fipa-query"}, "unsupported-value"),
    ],
)
def test_messages_of_other_kinds_are_not_understood(changes, reason):
    message = Message(body=encode(Search()), performative="request", language="json")
    assert read_request(message) == Search()
    with pytest.raises(ManagementRequestError) as refused:
        read_request(message.replace(**changes))
    assert refused.value.reason == reason
    assert encode_error(refused.value)[0] == "not-understood"


@pytest.mark.parametrize(
    ("error", "performative", "read"),
    [
        (NameTakenError("there is one"), "failure", NameTakenError),
        (UnknownAgentError("there is none"), "failure", UnknownAgentError),
        (UnauthorisedError("you may not"), "refuse", UnauthorisedError),
        (ManagementError("it is not active"), "failure", ManagementError),
        (FormicaryError("something else"), "failure", ManagementError),
        (ManagementRequestError("what?", "unrecognised-value"), "not-understood", ManagementRequestError),
        (ManagementRequestError("no such class"), "refuse", ManagementRequestError),
    ],
)
def test_an_error_is_read_as_the_error_that_it_was(error, performative, read):
    said, content = encode_error(error)
    again = decode_error(content)
    assert said == performative
    assert type(again) is read
    assert str(again) == str(error)
    assert getattr(again, "reason", "already-registered") == json.loads(content)["error"]


def test_invalid_results_are_refused():
    for body in ("", "[]", "{}", '{"done": "search", "agents": [{"name": "a"}]}'):
        with pytest.raises(ManagementError, match="the management agent's answer cannot be read"):
            decode_result(body, AgentsFound)


def test_a_request_made_in_python_is_the_one_that_is_read():
    made = make_request(Create, **{"class": "a:B"}, name="x", container=None, arguments={"n": (1, 2)})
    assert made == Create(class_name="a:B", name="x", arguments={"n": [1, 2]})
    assert make_request(Search, state="waiting") == Search(state=AgentState.WAITING)


@pytest.mark.parametrize("value", [b"x", {1}, object(), float("nan"), float("inf")])
def test_arguments_that_json_cannot_say_are_refused_and_not_changed(value):
    with pytest.raises(ManagementRequestError, match="the request cannot be expressed in JSON"):
        make_request(Create, **{"class": "a:B"}, name="x", arguments={"value": value})


@pytest.mark.parametrize(
    "fields",
    [{"name": b"abc"}, {"container": b"c1"}, {"state": {"active"}}, {"name": Path("abc")}],
)
def test_what_is_no_text_is_refused_and_not_taken_for_another_one(fields):
    (value,) = fields.values()
    says = (
        f"^the request cannot be expressed in JSON: {re.escape(repr(value))} is neither text nor a "
        "number, nor"
    )
    with pytest.raises(ManagementRequestError, match=says):
        make_request(Search, **fields)


def test_names_that_are_no_text_are_refused():
    with pytest.raises(ManagementRequestError, match="b'bob' is neither text nor a number"):
        make_request(CreateMany, **{"class": "a:B"}, names=("al", b"bob"))


def test_half_of_a_surrogate_pair_is_no_name():
    with pytest.raises(
        ManagementRequestError, match=r"the request cannot be expressed in JSON: .* surrogates"
    ):
        make_request(Search, name="\ud800")


def test_no_request_can_be_made_for_what_is_no_name():
    for kind in (Suspend, Resume, Kill):
        with pytest.raises(InvalidNameError):
            kind("a b")


def test_the_examples_of_the_reference_can_be_read():
    blocks = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    readers = {"action": decode_request, "done": read_answer, "error": decode_error}
    read = [readers[next(iter(json.loads(block)))](block) for block in blocks]
    assert {type(each) for each in read} >= {Search, ListContainers, Suspend, Create, AgentsFound, Tried}


def read_answer(content):
    return decode_result(content, actions()[json.loads(content)["done"]].answer)
