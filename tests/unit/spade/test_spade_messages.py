"""Addresses, messages and templates of SPADE's programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.core.message import Message as PlatformMessage
from formicary.errors import UnsupportedError
from formicary.spade.jid import JID, jid_of, name_of
from formicary.spade.message import Message
from formicary.spade.template import Template

PLATFORM = "lab.localhost"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("alice@localhost", "alice"),
        ("Alice@LOCALHOST", "alice"),
        ("alice@example.org", r"alice\40example.org"),
        ("alice@localhost/Home", r"alice\40localhost\2fHome"),
        (r"a\40b@localhost", r"a\5c40b"),
        ("d'artagnan@localhost", r"d\27artagnan"),
    ],
)
def test_the_name_of_an_address_is_escaped_where_it_has_to_be(address, name):
    assert name_of(JID(address)) == name
    assert jid_of(f"{name}@c1.{PLATFORM}", PLATFORM) == JID(address)


@given(
    st.text(
        st.characters(codec="ascii", categories=["Ll", "Nd", "P", "S"], exclude_characters="/@"), min_size=1
    )
)
def test_an_address_comes_back_from_its_name(node):
    for address in f"{node}@localhost", f"{node}@example.org", f"{node}@localhost/x":
        jid = JID(address)
        assert jid_of(f"{name_of(jid)}@c2.{PLATFORM}", PLATFORM) == jid


def test_an_address_outside_the_platform_is_unchanged():
    assert jid_of("carol@example.org/phone", PLATFORM) == JID("carol@example.org/phone")


def test_the_parts_of_an_address():
    jid = JID("Alice@Example.org/Home")
    assert (jid.node, jid.local, jid.user, jid.localpart) == ("alice",) * 4
    assert (jid.domain, jid.host, jid.server, jid.resource) == ("example.org",) * 3 + ("Home",)
    assert (jid, jid.full, jid.bare) == (
        "alice@example.org/Home",
        "alice@example.org/Home",
        "alice@example.org",
    )
    assert JID(jid) is jid


def sent(message):
    return message.to_platform("bob@c1.lab.localhost", "alice@c1.lab.localhost")


def test_metadata_becomes_parameters_of_the_platform_and_comes_back():
    metadata = {"performative": "cfp", "conversation-id": "c", "reply-to": "eve@localhost", "colour": "blue"}
    message = Message("bob@localhost", body="x", thread="t", metadata=metadata)
    carried = sent(message)
    assert (carried.performative, carried.conversation_id, carried.thread) == ("cfp", "c", "t")
    assert carried.metadata == {"reply-to": "eve@localhost", "colour": "blue"}
    received = Message.from_platform(carried, JID("bob@localhost"), JID("alice@localhost"))
    assert received.metadata == metadata
    assert (received.body, received.thread, str(received.sender)) == ("x", "t", "alice@localhost")


def test_what_our_own_agents_say_has_metadata_as_well():
    message = PlatformMessage(to="x", body=b"\xff", performative="inform", reply_with="r", ontology="o")
    received = Message.from_platform(message, JID("x@localhost"), JID("y@localhost"))
    assert received.metadata == {"performative": "inform", "reply-with": "r", "ontology": "o"}
    assert received.body == "\ufffd"


def test_what_is_received_is_a_copy():
    message = Message("bob@localhost", metadata={"colour": "blue"})
    carried = sent(message)
    message.set_metadata("colour", "red")
    received = Message.from_platform(carried, JID("bob@localhost"), JID("alice@localhost"))
    received.set_metadata("taste", "sweet")
    assert received.metadata == {"colour": "blue", "taste": "sweet"}
    assert carried.metadata == {"colour": "blue"}


def test_stanzas_are_refused_when_they_are_asked_for():
    with pytest.raises(UnsupportedError, match="use send\\(\\)"):
        Message().prepare(None)
    with pytest.raises(UnsupportedError):
        Message.from_node(object())


class Receiver:
    """The part of an agent that templates need."""

    jid = JID("bob@localhost")

    class container:  # noqa: N801
        @staticmethod
        def jid_of(address):
            return jid_of(address, PLATFORM)

    def our_message_of(self, message):
        return Message.from_platform(message, self.jid, self.container.jid_of(message.sender))


VALUES = st.sampled_from(["", "a", "b"])


@st.composite
def templates(draw, depth=2):
    if depth and draw(st.booleans()):
        one, other = draw(templates(depth - 1)), draw(templates(depth - 1))
        return draw(st.sampled_from([one & other, one | other, one ^ other, ~one]))
    names = draw(st.lists(st.sampled_from(["performative", "ontology", "colour"]), unique=True))
    return Template(
        to=draw(st.sampled_from([None, "bob@localhost", "eve@localhost"])),
        sender=draw(st.sampled_from([None, "alice@localhost", "eve@localhost"])),
        body=draw(VALUES),
        thread=draw(VALUES),
        metadata={name: draw(VALUES) for name in names},
    )


@given(
    templates(),
    VALUES,
    VALUES,
    st.dictionaries(st.sampled_from(["performative", "ontology", "colour"]), VALUES),
)
def test_a_template_matches_platform_messages_like_received_ones(template, body, thread, metadata):
    carried = sent(Message("bob@localhost", body=body, thread=thread or None, metadata=metadata))
    receiver = Receiver()
    assert template.our_takes(carried, receiver) == template.match(receiver.our_message_of(carried))


def test_a_program_s_own_template_class_is_called():
    class Long(Template):
        def match(self, message):
            return len(message.body) > 3

    assert Long().our_takes(sent(Message("bob@localhost", body="long")), Receiver())
    assert not Long().our_takes(sent(Message("bob@localhost", body="no")), Receiver())
