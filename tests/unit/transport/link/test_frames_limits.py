"""What a batch, and the names in it, can make a container keep or do is bounded."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from formicary import Message
from formicary.transport.link.frames import decode, encode, from_entry, to_entry
from formicary.transport.link.wire_names import Names, WireNames

ALICE, BOB = "alice@c1.lab.localhost", "bob@c2.lab.localhost"
WIRE = WireNames("c2.lab.localhost"), WireNames("c1.lab.localhost")


def test_a_large_message_with_all_that_there_is_arrives():
    sent = Message(
        to=(BOB, "carol@c2.lab.localhost"),
        sender=ALICE,
        body="x" * 300_000,
        performative="inform",
        thread="t",
        reply_by=datetime(2030, 1, 1, tzinfo=UTC),
        metadata={"key": "value"},
    )
    (entry,) = decode(encode([to_entry(sent, BOB, *WIRE)]))
    assert from_entry(entry, Names("c2.lab.localhost"), Names("c1.lab.localhost")) == (sent, BOB)


@pytest.mark.parametrize("body", [b"y" * 300_000, "z" * 300_000])
def test_a_large_body_arrives(body):
    sent = Message(to=BOB, sender=ALICE, body=body)
    (entry,) = decode(encode([to_entry(sent, BOB, *WIRE)]))
    assert from_entry(entry, Names("c2.lab.localhost"), Names("c1.lab.localhost")) == (sent, BOB)


def test_what_does_not_fit_into_a_frame_is_one_message():
    with pytest.raises(ValueError, match="not a single message"):
        decode(encode([("", "", "", None, None)] * 60_000))


@pytest.mark.parametrize(
    "entry",
    [
        ("bob", "alice", [[]] * 300_000, None, None),
        ("bob", "alice", "", None, {"thread": [[]] * 300_000}),
        ("bob", "alice", "", None, {"strange": "x" * 300_000}),
    ],
)
def test_large_values_that_no_message_has_are_not_even_read(entry):
    with pytest.raises(ValueError, match="not a batch of messages"):
        decode(encode([entry]))


def test_a_large_body_that_is_no_text_is_refused():
    data = encode([("bob", "alice", "x" * 300_000, None, None)]).replace(b"x" * 10, b"\xff" * 10)
    with pytest.raises(ValueError, match="not a batch of messages"):
        decode(data)


def test_names_that_are_remembered_are_bounded_by_what_they_take():
    names = Names("c1.lab.localhost")
    for number in range(12_000):
        assert names[f"{number:0>1000}"].startswith("0")
    assert sum(len(key) + len(name) for key, name in names.items()) < 1 << 22
    many = Names("c1.lab.localhost")
    for number in range(12_000):
        many[f"agent{number}"]
    assert len(many) == 12_000
