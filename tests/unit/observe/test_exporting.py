"""A conversation as Mermaid, SVG and CSV; what messages say never becomes markup."""

import csv
import io
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.core.errors import UsageError
from formicary.observe.events import MessageSeen
from formicary.observe.exporting import export

NASTY = 'a;b\n%% <script>alert("x")</script>\x1b[31m#quot; ]]>'
MESSAGES = [
    MessageSeen(
        1.5, 1, "ann@c1.lab.localhost", "bob@c2.lab.localhost", "request", body="five nails", conversation="t"
    ),
    MessageSeen(
        2.5, 1, "bob@c2.lab.localhost", "ann@c1.lab.localhost", "inform", body="done", conversation="t"
    ),
    MessageSeen(3.5, 2, "ann@c1.lab.localhost", "ann@c1.lab.localhost", "inform", outcome="dead"),
]


def test_mermaid_has_a_lane_for_each_agent_and_an_arrow_for_each_message():
    assert export(MESSAGES, "x.mmd").splitlines() == [
        "sequenceDiagram",
        "    participant a0 as ann",
        "    participant a1 as bob",
        "    a0->>a1: request five nails",
        "    a1->>a0: inform done",
        "    a0-xa0: inform",
    ]


def test_svg_has_a_lane_for_each_agent_and_an_arrow_for_each_message():
    drawing = ET.fromstring(export(MESSAGES, "x.SVG"))
    words = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["ann", "bob", "request five nails", "inform done", "inform"]


def test_a_table_has_all_fields():
    rows = list(csv.DictReader(io.StringIO(export(MESSAGES, "x.csv"))))
    assert [(row["at"], row["sender"], row["body"], row["outcome"]) for row in rows] == [
        ("1970-01-01T00:00:01.500000+00:00", "ann@c1.lab.localhost", "five nails", "delivered"),
        ("1970-01-01T00:00:02.500000+00:00", "bob@c2.lab.localhost", "done", "delivered"),
        ("1970-01-01T00:00:03.500000+00:00", "ann@c1.lab.localhost", "", "dead"),
    ]


@pytest.mark.parametrize("words", ["=HYPERLINK(A1)", "+1", "-1", "@SUM(A1)", "\uff1d1", "\t=1", "\r\n=1"])
def test_what_messages_say_is_no_formula_in_a_table(words):
    message = MessageSeen(
        1.0,
        1,
        *("a@c1", "b@c1"),
        words,
        protocol=words,
        conversation=words,
        reply_with=words,
        in_reply_to=words,
        language=words,
        ontology=words,
        body=words,
        size=-1,
    )
    (row,) = csv.DictReader(io.StringIO(export([message], "x.csv")))
    assert row["size"] == "-1"
    said = [row[each] for each in row if each not in {"size", "at", "number", "waited"}]
    assert not [cell for cell in said if cell.startswith(tuple("=+-@\uff1d\t\r"))]
    assert row["body"].endswith(words.strip())


def test_agents_of_one_name_have_their_container_with_them():
    messages = [MessageSeen(1.0, 1, "ann@c1.lab.localhost", "ann@c2.lab.localhost", "inform")]
    assert "participant a1 as ann@c2" in export(messages, "x.mmd")


@given(st.text(max_size=60).map(lambda text: text.encode(errors="replace").decode()) | st.just(NASTY))
def test_what_messages_say_is_no_markup(words):
    messages = [MessageSeen(1.0, 1, "a@c1", "b@c1", words, body=words, conversation=words)]
    ET.fromstring(export(messages, "x.svg"))
    lines = export(messages, "x.mmd").splitlines()
    assert len(lines) == 4
    assert not set(lines[3].partition(": ")[2]) & set("<>%\x1b\n\"'")


def test_only_some_formats_are_known_and_pictures_have_an_end():
    with pytest.raises(UsageError, match="must end in"):
        export(MESSAGES, "x.png")
    with pytest.raises(UsageError, match="a picture can show at most 1000 messages, and there are 1200"):
        export(MESSAGES * 400, "x.svg")
    assert export([], "x.mmd") == "sequenceDiagram\n"
