"""An account's stream without a server: how it binds its resource, and what it takes for a frame."""

from __future__ import annotations

import pytest
from tests.unit.transport.streams import Stream

from formicary.errors import LinkError, NameTakenError
from formicary.server.account import AccountAddress
from formicary.transport.link.frames import NAMESPACE
from formicary.transport.xmpp.account_stream import AccountStream

LAB = AccountAddress("lab@example.org", "secret", platform="lab.localhost")
HEADER = (
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
    "xmlns:stream='http://etherx.jabber.org/streams' id='1' version='1.0'>"
)
FEATURES = "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>"
BOUND = "<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>{}</jid></bind></iq>"
REFUSED = (
    "<iq type='error' id='bind'><error type='cancel'>"
    "<{} xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
)


def bound():
    stream = Stream(LAB, AccountStream)
    stream.feed(HEADER + FEATURES + BOUND.format("lab@example.org/c1"))
    return stream


async def test_it_binds_the_containers_name():
    stream = Stream(LAB, AccountStream)
    assert stream.transport.written.endswith(b" to='example.org' version='1.0'>")
    stream.feed(HEADER)
    stream.transport.written = b""
    stream.feed(FEATURES)
    assert stream.transport.written == (
        b"<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
        b"<resource>c1</resource></bind></iq>"
    )
    assert not stream.accepted.done()
    stream.feed(BOUND.format("lab@example.org/c1"))
    assert stream.accepted.result() is None


@pytest.mark.parametrize(
    ("answer", "kind", "says"),
    [
        (BOUND.format("lab@example.org/c1#1"), NameTakenError, "'c1' is connected to the account lab@exam"),
        (REFUSED.format("conflict"), NameTakenError, "stop it, or choose another name"),
        (REFUSED.format("resource-constraint"), LinkError, "refused lab@example.org/c1: resource-constraint"),
        (BOUND.format(""), LinkError, "refused lab@example.org/c1"),
    ],
)
async def test_another_name_than_its_own_is_none(answer, kind, says):
    stream = Stream(LAB, AccountStream)
    stream.feed(HEADER + FEATURES + answer)
    assert stream.transport.aborted
    with pytest.raises(kind, match=says):
        await stream.accepted


async def test_stanzas_have_the_namespace_that_those_of_components_have():
    stream = bound()
    stream.feed("<message from='x.org'><body>hello</body></message>")
    ((tag, _, children),) = stream.came
    assert tag == "{jabber:component:accept}message"
    assert children == [("{jabber:component:accept}body", "hello")]


async def test_frames_of_the_right_type_take_the_short_way():
    stream = bound()
    stream.stream._parse = None
    stream.feed(
        "<message to='lab@example.org/c1' type='groupchat' from='lab@example.org/c2'>"
        f"<frame xmlns='{NAMESPACE}'>AAAA</frame></message>"
    )
    assert stream.came == [("lab@example.org/c2", b"AAAA")]


async def test_who_loses_the_place_later_is_told_so():
    stream = bound()
    stream.feed("<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>")
    assert str(stream.ended) == (
        "the XMPP server of example.org replaced container 'c1' by another one of that name"
    )
