"""The language of all FIPA00023 agents: encoding and decoding of requests and errors, as documented."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from tests.plugins.paths import ROOT

from formicary.directory import language as of_directory
from formicary.errors import DirectoryError, DirectoryRequestError, ManagementError, ManagementRequestError
from formicary.fipa.language import PERFORMATIVES
from formicary.management.requests import language
from formicary.management.requests.actions import REQUESTS, actions, decode_request

DOCS = ROOT / "docs"
ROW = re.compile(r"^\| `([a-z-]+)` \| `([a-z-]+)` \|", re.MULTILINE)


@dataclass(frozen=True)
class Speech:
    """A language with its own parts."""

    language: Any
    page: str
    error: type[Exception]
    request_error: type[Exception]
    without: frozenset[str] = frozenset()

    def text(self) -> str:
        return (DOCS / self.page).read_text(encoding="utf-8")


def read_result(body):
    """Decode a management agent's answer, whose other fields depend on the action."""
    done = re.search(r'"done": "([a-z-]+)"', str(body))
    return language.decode_result(body, actions()[done[1]].answer if done else language.Result)


SPEECHES = [
    Speech(
        of_directory,
        "directory.md",
        DirectoryError,
        DirectoryRequestError,
        without=frozenset({"not-moved"}),
    ),
    Speech(
        SimpleNamespace(
            DIALECT=REQUESTS,
            decode_request=decode_request,
            decode_result=read_result,
            encode_error=language.encode_error,
            decode_error=language.decode_error,
        ),
        "management.md",
        ManagementError,
        ManagementRequestError,
        frozenset({"unexpected-act", "too-many-services"}),  # which only directories have
    ),
]


@pytest.fixture(params=SPEECHES, ids=("directory", "management"))
def speech(request):
    return request.param


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        ("", "unrecognised-value", "the content is not JSON"),
        ('{"action": "search"', "unrecognised-value", "the content is not JSON"),
        (b"\xff\x00", "unrecognised-value", "the content is not JSON"),
        ('"\ud800"', "unrecognised-value", "the content is not JSON"),
        ("[" * 100_000, "unrecognised-value", "cannot be read"),
        ("[]", "unrecognised-value", "Expected `object`"),
        ("{}", "unrecognised-value", "missing required field `action`"),
        ('{"action": "fly"}', "unsupported-function", "'fly'.*; the actions are "),
        ('{"action": 3}', "unsupported-function", "the actions are"),
    ],
)
def test_invalid_requests_are_refused_with_the_reason(speech, content, reason, message):
    with pytest.raises(speech.request_error, match=message) as refused:
        speech.language.decode_request(content)
    assert isinstance(refused.value, ValueError)
    assert refused.value.reason == reason


def test_the_actions_that_are_named_are_those_that_can_be_read(speech):
    for action in re.split(", | and ", speech.language.DIALECT.actions):
        with pytest.raises(speech.request_error) as refused:
            speech.language.decode_request(json.dumps({"action": action, "no such": 1}))
        assert refused.value.reason in {"unexpected-parameter", "missing-parameter"}


def test_an_error_is_one_line_and_no_longer_than_a_sentence(speech):
    name = "a\nb\x00" + "c" * 5000
    with pytest.raises(speech.request_error) as refused:
        speech.language.decode_request(json.dumps({"action": "search", name: 1}))
    said = json.loads(speech.language.encode_error(refused.value)[1])
    assert said["error"] == "unexpected-parameter"
    assert "unknown field `a\\nb\\x00ccc" in said["message"]
    assert len(said["message"]) < 1100


@pytest.mark.parametrize("reason", PERFORMATIVES)
def test_every_reason_is_encoded_and_decoded(speech, reason):
    error = speech.request_error("so it is", reason)
    performative, content = speech.language.encode_error(error)
    assert performative == PERFORMATIVES[reason]
    assert str(speech.language.decode_error(content)) == "so it is"


@pytest.mark.parametrize("body", ["no", b"\xff", '{"error": 3}', '{"error": "unheard-of", "message": "a"}'])
def test_an_error_that_somebody_else_has_written_is_an_error_all_the_same(speech, body):
    assert type(speech.language.decode_error(body)) is speech.error


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"done": 3}', b"\xff"])
def test_invalid_results_are_refused(speech, body):
    with pytest.raises(speech.error, match="answer cannot be read"):
        speech.language.decode_result(body)


def test_the_reference_has_every_reason_with_its_performative(speech):
    own, common = (
        {reason: performative for performative, reason in ROW.findall(text)}
        for text in (speech.text(), SPEECHES[0].text())  # what all have is said once
    )
    assert own.items() <= PERFORMATIVES.items()
    assert own.keys() & speech.without == set()
    assert (common | own).keys() >= PERFORMATIVES.keys() - speech.without


def test_the_examples_of_the_reference_can_be_read(speech):
    readers = {
        "action": speech.language.decode_request,
        "done": speech.language.decode_result,
        "error": speech.language.decode_error,
    }
    blocks = re.findall(r"```json\n(.*?)```", speech.text(), re.DOTALL)
    kinds = [next(iter(json.loads(block))) for block in blocks]
    for kind, block in zip(kinds, blocks, strict=True):
        readers[kind](block)
    assert set(kinds) == set(readers)
