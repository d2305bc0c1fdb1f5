"""Whether a dialler's first message has come whole, without reading it."""

from __future__ import annotations

import asyncio
import socket
import ssl
from contextlib import suppress

import pytest

from formicary.transport.direct.half_open import first_message
from formicary.transport.direct.identity import anonymous
from formicary.transport.direct.opening import DiallerOpening, OpeningError


def hello():
    names = ("c2.lab.localhost", "c1.lab.localhost")
    return DiallerOpening(*names, bytes(32), by_token=False, certificate=bytes(32)).first()


def tls():
    outgoing = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        anonymous().wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


@pytest.fixture(params=["unix", "tcp"])
def pair(request):
    """Give the two ends of a connection."""
    if request.param == "unix":
        ours, theirs = socket.socketpair()
    else:
        with socket.create_server(("127.0.0.1", 0)) as server:
            theirs = socket.create_connection(server.getsockname())
            ours, _ = server.accept()
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


both = pytest.mark.parametrize(
    ("with_tls", "message"), [(True, tls()), (False, hello())], ids=["with TLS", "without"]
)


@both
async def test_a_message_that_comes_in_pieces_is_waited_for_and_left_where_it_is(pair, with_tls, message):
    ours, theirs = pair
    coming = asyncio.create_task(first_message(ours, with_tls=with_tls))
    # A system keeps so much of its own with each piece that a buffer holds few hundred of them.
    for start in range(0, len(message) - 1, 11):
        theirs.send(message[start : min(start + 11, len(message) - 1)])
        await asyncio.sleep(0)
        assert not coming.done()
    await asyncio.sleep(0.01)
    assert not coming.done()
    theirs.send(message[-1:])
    await coming
    assert ours.recv(10_000) == message


@both
async def test_what_is_there_already_is_not_waited_for(pair, with_tls, message):
    ours, theirs = pair
    theirs.send(message + b"more")
    coming = first_message(ours, with_tls=with_tls)
    with pytest.raises(StopIteration):
        coming.send(None)


@both
@pytest.mark.parametrize("said", [0, 4, -1])
async def test_one_that_ends_before_is_found_out(pair, with_tls, message, said):
    ours, theirs = pair
    theirs.send(message[:said] if said else b"")
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(OpeningError, match="closed early"):
        await first_message(ours, with_tls=with_tls)


@both
async def test_one_that_ends_behind_it_has_said_it(pair, with_tls, message):
    ours, theirs = pair
    theirs.send(message)
    theirs.close()
    await first_message(ours, with_tls=with_tls)


async def test_one_that_is_reset_is_found_out(pair):
    ours, theirs = pair
    ours.send(b"not read")
    coming = asyncio.create_task(first_message(ours, with_tls=True))
    await asyncio.sleep(0)
    theirs.close()
    with pytest.raises(OpeningError, match="closed early"):
        await coming


@pytest.mark.parametrize("said", [b"G", b"\x16\x02", b"\x17\x03\x03", b"\x16\x03\x01\xff\xff"])
async def test_what_is_not_tls_is_found_out_by_its_first_bytes(pair, said):
    ours, theirs = pair
    theirs.send(said)
    with pytest.raises(OpeningError, match="no TLS"):
        await first_message(ours, with_tls=True)


@pytest.mark.parametrize("said", [b"G", b"formicarY", b"formicary\x07"])
async def test_what_is_no_opening_is_left_to_the_opening_to_refuse(pair, said):
    ours, theirs = pair
    theirs.send(said)
    await first_message(ours, with_tls=False)
    assert ours.recv(10_000) == said
