"""Any output of a driver is either valid, or refused in one clear sentence."""

import asyncio
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formicary.processes.lines import Line
from formicary.processes.messages import Ready
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.driver import Driver
from formicary_bench.subjects.drivers.protocol import LONGEST_LINE, Done, Hello, Report

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["protocol", "name", "version", "experiments", "placements", "most_pairs", "endpoint", "done", "reason"]
)
MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(["hello", "ready", "progress", "done", "failed", "stop", "Hello", ""])},
).flatmap(lambda kind: st.dictionaries(FIELDS, JSON, max_size=5).map(lambda rest: rest | kind))
LINES = (
    st.binary(max_size=200)
    | st.text(max_size=100).map(str.encode)
    | (JSON | MESSAGES).map(lambda value: json.dumps(value).encode())
)


class Process:
    """A process that has ended."""

    async def ended(self):
        return 0

    def last_words(self):
        return ""


def line_of(said):
    reader = asyncio.StreamReader()
    reader.feed_data(said)
    reader.feed_eof()
    return Line(reader, None, Report, longest=LONGEST_LINE)


def hear(said, kind):
    async def listen():
        progress = []
        driver = Driver("it", Process(), line_of(said), progress.append, {})
        return await driver.hear(kind), progress

    return asyncio.run(listen())


@given(st.lists(LINES, max_size=4), st.sampled_from([Hello, Ready, Done]))
@example([b'{"type":"failed","reason":"one\\n\\u001b[31mtwo\\u0007"}'], Ready)
@example([b"[" * 100_000], Ready)
@example([b'{"type":"ready","endpoint":"\xff"}'], Ready)
@example([b'{"type":"progress","done":-1}'], Ready)
@example([b'{"type":"hello","protocol":1,"name":"../x","version":"1"}'], Hello)
@example([b'{"type":"hello","protocol":true}'], Hello)
def test_it_is_understood_or_refused_in_one_sentence(lines, kind):
    sentence = ""
    try:
        report, progress = hear(b"".join(line + b"\n" for line in lines), kind)
    except DriverError as error:
        sentence = str(error)
    else:
        assert type(report) is kind
        assert all(done >= 0 for done in progress)
    assert sentence.isprintable()
    assert len(sentence) < 3000


@given(st.text(max_size=40))
def test_a_name_that_is_taken_is_also_a_name_of_a_folder(name):
    hello = {
        "type": "hello",
        "protocol": 1,
        "name": name,
        "version": "1",
        "experiments": ["messaging/pairs"],
        "placements": ["same-container"],
    }
    try:
        report, _ = hear(json.dumps(hello).encode() + b"\n", Hello)
    except DriverError:
        return
    assert report.name == name
    assert all(letter in "abcdefghijklmnopqrstuvwxyz0123456789-" for letter in name)
    assert name[:1].isalpha()


def test_what_is_said_after_progress_is_heard():
    said = b'{"type":"progress","done":1}\n{"type":"progress","done":5}\n{"type":"ready","later":[]}\n'
    report, progress = hear(said, Ready)
    assert report == Ready()  # what a later version adds is passed over
    assert progress == [1, 5]


def test_a_line_that_is_too_long_is_refused():
    with pytest.raises(DriverError, match="a line of more than"):
        hear(b" " * (LONGEST_LINE + 1) + b"\n", Ready)
