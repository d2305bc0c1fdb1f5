"""Plain stanzas: what XML can carry arrives; the rest is refused with a reason."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.transport.strategies import XML_TEXT, messages

from formicary.errors import FormicaryError, InvalidMessageError
from formicary.transport.xmpp.stanzas import from_stanza, to_stanza
from formicary.transport.xmpp.stream import COMPONENT


def parsed(stanza):
    return ET.fromstring(stanza.decode().replace("<message ", f"<message xmlns='{COMPONENT}' ", 1))


@given(messages(XML_TEXT, body=XML_TEXT, threads=XML_TEXT.filter(bool), outside=True))
def test_what_xml_can_carry_arrives_as_it_was(message):
    stanza = parsed(to_stanza(message, message.to, "i1"))
    assert (stanza.get("to"), stanza.get("from"), stanza.get("id")) == (message.to, message.sender, "i1")
    assert from_stanza(stanza, message.sender, message.to) == message


@given(messages(XML_TEXT, body=XML_TEXT), st.sampled_from("\x00\x01\x0b\x1f\ufffe\uffff\ud800\udfff"))
def test_what_xml_cannot_carry_is_refused_wherever_it_is(message, character):
    spoiled = [
        message.replace(body=message.body + character),
        message.replace(thread=character),
        message.replace(performative=f"x{character}"),
        message.replace(metadata={character: ""}),
        message.replace(metadata={"": character}),
    ]
    for bad in spoiled:
        with pytest.raises(InvalidMessageError, match="which XML cannot carry; encode it"):
            to_stanza(bad, "bob@example.org", "i1")


_NAMES = st.sampled_from(["performative", "reply-to", "reply-by", "_thread_node", "other", ""])
_FIELD = st.builds(
    lambda var, values: "<field{}>{}</field>".format(
        "" if var is None else f" var='{var}'", "".join(f"<value>{value}</value>" for value in values)
    ),
    st.none() | _NAMES,
    st.lists(st.sampled_from(["", "x", "bob@example.org", "no name @", "2020-01-01", "<deep>er</deep>"])),
)
_FORM = st.builds(
    lambda title, fields: f"<x xmlns='jabber:x:data'>{title}{''.join(fields)}</x>",
    st.sampled_from(["", "<title/>", "<title>spade:x:metadata</title>", "<title>other</title>"]),
    st.lists(_FIELD, max_size=4),
)


@given(st.lists(_FORM | st.sampled_from(["<body>b</body>", "<body/>", "<thread>t</thread>", "<thread/>"])))
def test_any_form_is_a_message_or_none_or_refused(parts):
    stanza = parsed(f"<message from='x@example.org'>{''.join(parts)}</message>".encode())
    try:
        message = from_stanza(stanza, "x@example.org", "a@c1.lab.localhost")
    except FormicaryError:
        return
    assert message is None or message.sender == "x@example.org"
