"""Batches of messages: any message arrives intact, and any bytes do no harm."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.searches import at_first
from tests.property.transport.strategies import LOCAL, TEXT, messages

from formicary.core.message import Message
from formicary.transport.link.frames import decode, encode, from_entry, size, to_entries, to_entry
from formicary.transport.link.wire_names import Names, WireNames

DOMAINS = ("c2.lab.localhost", "c1.lab.localhost")
WIRE = tuple(map(WireNames, DOMAINS))


def unpack(data):
    receivers, senders = map(Names, DOMAINS)
    return [from_entry(entry, receivers, senders) for entry in decode(data)]


@at_first(50)
@given(st.lists(messages(), max_size=5))
def test_any_messages_arrive_as_they_were(sent):
    data = encode([to_entry(message, message.to, *WIRE) for message in sent])
    assert unpack(data) == [(message, message.to) for message in sent]


@given(messages(), st.lists(LOCAL, min_size=1, unique=True))
def test_a_message_to_several_arrives_with_all_of_them(message, locals_):
    names = tuple(f"{name}@c2.lab.localhost" for name in locals_)
    message = message.replace(to=names)
    data = encode([to_entry(message, name, *WIRE) for name in names])
    assert unpack(data) == [(message, name) for name in names]


@at_first(50)
@given(st.lists(messages(), max_size=5), LOCAL)
def test_messages_together_have_the_entries_that_each_has(sent, other):
    usual = Message(to="b@c2.lab.localhost", sender="a@c1.lab.localhost", body="x", performative="inform")
    several = usual.replace(to=("b@c2.lab.localhost", f"{other}@c2.lab.localhost"))
    letters = [(message, message.to) for message in (usual, *sent)] + [(several, name) for name in several.to]
    assert to_entries(letters, *WIRE) == [to_entry(message, receiver, *WIRE) for message, receiver in letters]


@given(messages(), st.lists(LOCAL, min_size=2, max_size=4))
def test_size_is_no_less_than_what_one_message_takes(message, locals_):
    for to in (message.to, tuple(f"{name}@c2.lab.localhost" for name in locals_)):
        one = message.replace(to=to)
        receiver = to if isinstance(to, str) else to[0]
        assert len(encode([to_entry(one, receiver, *WIRE)])) <= size(one)


def test_a_short_reply_to_means_the_senders_container():
    message = Message(to="b@c2.lab.localhost", sender="a@c1.lab.localhost", reply_to="bob")
    ((received, _),) = unpack(encode([to_entry(message, message.to, *WIRE)]))
    assert received.reply_to == "bob@c1.lab.localhost"


# Things that are nearly a batch find more than noise does.
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | TEXT | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(TEXT | st.integers(0, 9), inner),
    max_leaves=12,
)
_ENTRIES = st.lists(
    st.tuples(
        LOCAL | TEXT, LOCAL | TEXT, _VALUES, st.none() | TEXT, st.none() | st.dictionaries(TEXT, _VALUES)
    )
    | st.tuples(
        LOCAL,
        LOCAL,
        TEXT,
        st.none(),
        st.dictionaries(st.sampled_from(Message.__struct_fields__), _VALUES),
    )
)


def refuse_or_understand(data):
    try:
        entries = decode(data)
    except ValueError:
        return
    receivers, senders = map(Names, DOMAINS)
    for entry in entries:
        try:
            message, receiver = from_entry(entry, receivers, senders)
        except ValueError:
            continue
        message.check()
        assert receiver.endswith("@c2.lab.localhost")
        assert message.sender.endswith("@c1.lab.localhost")


@at_first(50)
@given(st.binary() | (_VALUES | _ENTRIES).map(msgspec.msgpack.encode))
@example(b"")
@example(b"\x90")
def test_any_bytes_are_a_batch_or_a_value_error(data):
    refuse_or_understand(data)
    refuse_or_understand(memoryview(data))


@pytest.mark.parametrize(
    "data",
    [
        b"\xdd\xff\xff\xff\xff",  # claims four thousand million entries
        b"\x91\x95\xa1b\xa1a" + b"\x91" * 200_000,  # a body nested deeper than any stack
        b"\x91\x93\xa1b\xa1a\xdb\xff\xff\xff\xff",  # a body of four gigabytes, of which there are none
        b"\x91\x93\xa1b\xa1a\xa2\xed\xa0",  # half a surrogate
        b"\x91\x95\xa1b\xa1a\xa0\xc0\x81\xa9body\xc0",
    ],
)
def test_what_claims_too_much_is_refused_at_once(data):
    with pytest.raises(ValueError, match="not a batch"):
        decode(data)


def test_a_batch_cannot_claim_another_sender_receiver_or_body():
    rare = {"sender": "boss@c9.lab.localhost", "body": 7, "performative": "x"}
    for lie in ({"sender": "boss@c9.lab.localhost"}, {"body": 7}, rare):
        data = msgspec.msgpack.encode([["b", "a", "hello", None, lie]])
        try:
            ((message, receiver),) = unpack(data)
        except ValueError:
            continue
        assert (message.sender, message.body, receiver) == (
            "a@c1.lab.localhost",
            "hello",
            "b@c2.lab.localhost",
        )
