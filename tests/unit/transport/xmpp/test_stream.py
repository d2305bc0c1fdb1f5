"""The stream: what it says to the server, and the one sentence that it ends with."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.transport.streams import ADDRESS, HEADER, Stream

from formicary.errors import AuthenticationError, LinkError, NameTakenError
from formicary.transport.xmpp.component import UnknownHostError

ERROR = "<stream:error><{} xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>{}</stream:error></stream:stream>"
TEXT = "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>because</text>"


async def test_it_shakes_hands_with_the_streams_id_and_the_secret():
    stream = Stream()
    stream.feed(HEADER)
    digest = hashlib.sha1(b"1234secret").hexdigest()
    assert stream.transport.written.endswith(f"<handshake>{digest}</handshake>".encode())
    assert not stream.accepted.done()
    stream.feed("<handshake/>")
    assert stream.accepted.result() is None


async def test_stanzas_in_the_same_packet_as_the_handshake_are_taken():
    stream = Stream()
    stream.feed(HEADER + "<handshake/><presence from='x.org'/>")
    assert [tag for tag, *_ in stream.came] == ["{jabber:component:accept}presence"]


@pytest.mark.parametrize(
    ("condition", "kind", "says"),
    [
        ("conflict", NameTakenError, "a container named 'c1' is connected to .* already; stop it, or choose"),
        ("not-authorized", AuthenticationError, "does not accept the secret of container 'c1'; compare"),
        (
            "host-unknown",
            UnknownHostError,
            "server config --platform lab.localhost --containers c1$",
        ),
        ("invalid-namespace", LinkError, r"invalid-namespace \(because\); is this its port for components\?"),
        ("system-shutdown", LinkError, r"ended the connection: system-shutdown \(because\)"),
    ],
)
@pytest.mark.parametrize("head", [HEADER, HEADER.replace(" id='1234'", "")])
async def test_each_refusal_has_its_class_and_sentence(condition, kind, says, head):
    stream = Stream()
    stream.feed(head + ERROR.format(condition, TEXT))
    assert type(stream.ended) is kind
    assert stream.transport.aborted
    with pytest.raises(kind, match=says) as caught:
        await stream.accepted
    assert "127.0.0.1:5347" in str(caught.value)


async def test_a_stream_error_later_ends_it_with_its_condition():
    stream = Stream()
    stream.feed(HEADER + "<handshake/>")
    stream.feed(ERROR.format("system-shutdown", TEXT))
    assert str(stream.ended) == (
        "the XMPP server at 127.0.0.1:5347 ended the connection: system-shutdown (because)"
    )


@pytest.mark.parametrize(
    "garbage",
    [
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "<html><head>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>",
        "SSH-2.0-x\r\n",
        "\x16\x03\x01",
        "</a>",
        "<a></a><b>",
    ],
)
async def test_what_is_no_xmpp_is_told_as_one_sentence_about_the_port(garbage):
    stream = Stream()
    stream.feed(garbage)
    assert type(stream.ended) is LinkError
    assert "127.0.0.1:5347" in str(stream.ended)
    assert b"<handshake" not in stream.transport.written


BOMB = "<!DOCTYPE x [<!ENTITY a '" + "b" * 1000 + "'>" + "<!ENTITY c '" + "&a;" * 1000 + "'>]>"


async def test_a_document_type_stops_the_parser_before_its_entities():
    stream = Stream()
    stream.feed(BOMB + "<x>" + "&c;" * 1000 + "</x>")
    assert "document type" in str(stream.ended)
    later = Stream()
    later.feed(HEADER + "<handshake/>")
    later.feed(BOMB)
    assert isinstance(later.ended, LinkError)
    assert later.came == []


async def test_an_end_before_it_is_accepted_asks_about_the_port():
    stream = Stream()
    stream.stream.connection_lost(ConnectionResetError("reset by peer"))
    with pytest.raises(LinkError, match="closed the connection: reset by peer, before it accepted the cont"):
        await stream.accepted


async def test_the_end_of_the_servers_stream_does_not_wait_for_what_it_will_not_read():
    stream = Stream()
    stream.feed(HEADER + "<handshake/>")
    stream.feed("</stream:stream>")
    assert stream.transport.aborted
    assert str(stream.ended) == "the XMPP server at 127.0.0.1:5347 closed the connection"


@pytest.mark.parametrize(
    ("host", "port", "says"),
    [
        (
            "127.0.0.1",
            1,
            "the XMPP server at 127.0.0.1:1: Connection refused; is it running",
        ),
        ("a..b", 1, "cannot connect to the XMPP server at a..b:1: "),
        ("127.0.0.1", 1 << 20, "cannot connect to the XMPP server at 127.0.0.1:1048576: "),
    ],
)
async def test_where_nothing_listens_it_says_so(host, port, says):
    address = replace(ADDRESS, host=host, port=port)
    with pytest.raises(LinkError, match=says):
        await _unconnected(Stream(address).stream).connect()


async def test_a_managed_server_that_does_not_run_is_to_be_started(tmp_path):
    address = replace(ADDRESS, port=1, folder=Path(tmp_path))
    with pytest.raises(LinkError, match=r"; start it with: formicary server start --"):
        await _unconnected(Stream(address).stream).connect()


async def test_closing_what_was_never_connected_does_nothing():
    assert await _unconnected(Stream().stream).close() == 0


def _unconnected(stream):
    stream._closed = None
    stream._accepted = asyncio.get_running_loop().create_future()
    return stream
