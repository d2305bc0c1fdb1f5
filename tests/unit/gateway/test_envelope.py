"""Envelopes in XML: ours and JADE's are read; malformed and oversized ones are refused."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.gateway.acl_message import AgentIdentifier
from formicary.gateway.envelope import STRING_FORM, Envelope, EnvelopeError, read_envelope, write_envelope

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
JADE = b"""<?xml version="1.0"?>
<envelope><params index="1"><to><agent-identifier><name>buyer@c1.lab.localhost</name><addresses>\
<url>http://127.0.0.1:7777/acc</url></addresses></agent-identifier></to><from><agent-identifier>\
<name>Seller@jade-platform</name><addresses><url>http://host:7778/acc</url></addresses></agent-identifier>\
</from><acl-representation>fipa.acl.rep.string.std</acl-representation><payload-length>489</payload-length>\
<date>20260504Z030201000</date><intended-receiver><agent-identifier><name>buyer@c1.lab.localhost</name>\
<addresses><url>http://127.0.0.1:7777/acc</url></addresses></agent-identifier></intended-receiver>\
<user-defined href="JADE-trace" type="string">name</user-defined>\
<received><received-by value="x"/></received></params></envelope>"""

names = st.text("aB<>&\"'@é€😀 \n\r\t", min_size=1, max_size=8).map(lambda text: f"a{text}z")
identifiers = st.builds(AgentIdentifier, names, st.lists(names, max_size=2).map(tuple))
envelopes = st.builds(
    Envelope,
    to=st.lists(identifiers, min_size=1, max_size=2).map(tuple),
    sender=st.none() | identifiers,
    intended_receivers=st.lists(identifiers, max_size=2).map(tuple),
    character_set=st.sampled_from(["", "UTF-8"]),
    payload_length=st.none() | st.integers(0, 1 << 40),
)


@given(envelopes)
def test_what_is_written_is_read_again_and_is_one_line_of_ascii(envelope):
    data = write_envelope(envelope, NOW)
    assert read_envelope(data) == envelope
    assert data.isascii()
    assert b"\n" not in data


def test_an_envelope_as_jade_writes_it():
    buyer = AgentIdentifier("buyer@c1.lab.localhost", ("http://127.0.0.1:7777/acc",))
    assert read_envelope(JADE) == Envelope(
        to=(buyer,),
        sender=AgentIdentifier("Seller@jade-platform", ("http://host:7778/acc",)),
        intended_receivers=(buyer,),
        payload_length=489,
    )


def agent(name):
    return f"<agent-identifier><name>{name}</name></agent-identifier>"


def test_later_params_override_earlier_ones():
    text = (
        f"<envelope><params index='1'><to>{agent('a@x')}</to><payload-encoding>UTF-8</payload-encoding>"
        f"</params><params index='2'><to>{agent('b@x')}</to><payload-length>-1</payload-length></params>"
        "</envelope>"
    )
    assert read_envelope(text.encode()) == Envelope(
        to=(AgentIdentifier("b@x"),), representation=STRING_FORM, character_set="UTF-8"
    )


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE envelope [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    f"<envelope><params><to>{agent('&b;')}</to></params></envelope>"
)
OUTSIDE = (
    '<!DOCTYPE envelope [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    f"<envelope><params><to>{agent('&a;')}</to></params></envelope>"
)
REFUSED = {
    BOMB: "document type",
    OUTSIDE: "document type",
    "": "not XML",
    "hello": "not XML",
    "<envelope>": "not XML",
    "<html></html>": "not an envelope",
    "<envelope></envelope>": "has no receiver",
    "<envelope><params><to></to></params></envelope>": "has no receiver",
    "<envelope><params><to><agent-identifier/></to></params></envelope>": "no name",
    f"<envelope><params><to>{agent('&a;')}</to></params></envelope>": "not XML",
    f"<envelope><params><to>{agent('a')}</to><payload-length>many</payload-length></params></envelope>": (
        "is not a message length"
    ),
    "<envelope>" + "<params>" * 1000: "deep",
    f"<envelope><params><to>{agent('a@b') * 1001}</to></params></envelope>": "more than 1000",
    '<?xml version="1.0" encoding="rot13"?><envelope/>': "encoding",
}


@pytest.mark.parametrize("text", REFUSED)
def test_malformed_or_oversized_envelopes_are_refused(text):
    with pytest.raises(EnvelopeError, match=REFUSED[text]):
        read_envelope(text.encode())


@given(
    st.sampled_from(["", '<?xml version="1.0" encoding="utf-7"?>', '<?xml version="1.0" encoding="idna"?>']),
    st.lists(
        st.sampled_from(
            [
                "<envelope>",
                "<params>",
                "<to>",
                agent("a@x"),
                "</to>",
                "</params>",
                "</envelope>",
                "<url>",
                "x",
            ]
        )
        | st.text("<>&;#x/a'=\" ", max_size=4),
        max_size=8,
    ),
)
def test_any_input_is_an_envelope_or_an_error(head, parts):
    with suppress(EnvelopeError):
        assert read_envelope((head + "".join(parts)).encode()).to


def test_what_xml_cannot_carry_is_not_written():
    with pytest.raises(ValueError, match="cannot carry"):
        write_envelope(Envelope(to=(AgentIdentifier("a\x00"),)), NOW)
