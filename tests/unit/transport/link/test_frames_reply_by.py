"""A `reply_by` without a time zone means another time elsewhere, so it does not leave the process."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import force_setattr

from formicary import Message
from formicary.errors import InvalidMessageError
from formicary.transport.link.frames import decode, encode, from_entry, to_entry
from formicary.transport.link.wire_names import Names, WireNames
from formicary.transport.xmpp.stanzas import from_stanza, to_stanza
from formicary.transport.xmpp.stream import COMPONENT

ALICE, BOB = "alice@c1.lab.localhost", "bob@c2.lab.localhost"
WIRE = WireNames("c2.lab.localhost"), WireNames("c1.lab.localhost")


def message(time):
    return Message(to=BOB, sender=ALICE, reply_by=time)


def test_it_is_refused_where_it_is_sent():
    sent = message(None)
    force_setattr(sent, "reply_by", datetime(2030, 1, 1, 12))  # noqa: DTZ001 -- that is what is refused
    with pytest.raises(InvalidMessageError, match="must have a time zone"):
        to_entry(sent, BOB, *WIRE)
    with pytest.raises(InvalidMessageError, match="must have a time zone"):
        to_stanza(sent, "carol@localhost", "f1")


def test_with_a_zone_it_arrives():
    sent = message(datetime(2030, 1, 1, 12, tzinfo=UTC))
    (entry,) = decode(encode([to_entry(sent, BOB, *WIRE)]))
    assert from_entry(entry, Names("c2.lab.localhost"), Names("c1.lab.localhost")) == (sent, BOB)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2030-01-01T12:00:00+00:00", (datetime(2030, 1, 1, 12, tzinfo=UTC), None)),
        ("2030-01-01T12:00:00", (None, {"reply-by": "2030-01-01T12:00:00"})),
        ("tomorrow", (None, {"reply-by": "tomorrow"})),
    ],
)
def test_from_plain_xmpp_what_is_no_certain_time_stays_metadata(text, expected):
    stanza = fromstring(
        f"<message xmlns='{COMPONENT}'><body/><x xmlns='jabber:x:data' type='form'>"
        f"<title>spade:x:metadata</title><field var='reply-by'><value>{text}</value></field></x></message>"
    )
    received = from_stanza(stanza, "carol@localhost", BOB)
    assert (received.reply_by, received.metadata) == expected
