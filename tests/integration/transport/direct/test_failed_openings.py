"""Openings that fail take their memory with them at once, which with TLS is more than 200 kB of each."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import threading
from contextlib import asynccontextmanager, suppress

import msgspec
import pytest
from tests.integration.transport.direct.ends import C1, C2, End, both_loops, connected
from tests.plugins.ports import unused_port

from formicary.errors import LinkError
from formicary.transport.direct import endpoint
from formicary.transport.direct.identity import anonymous
from formicary.transport.direct.opening import OpeningError
from formicary.transport.direct.opening_protocol import OpeningProtocol

_MEMORY = (OpeningProtocol, LinkError, OpeningError, ssl.SSLObject)


@pytest.fixture
def kept():
    """Give what tells how much there is of failed openings; the garbage collector does not come meanwhile."""
    gc.collect()
    gc.disable()

    def count():
        return [sum(isinstance(each, kind) for each in gc.get_objects()) for kind in _MEMORY]

    before = count()
    try:
        yield lambda: [now - then for now, then in zip(count(), before, strict=True)]
    finally:
        gc.enable()


async def nothing(kept):
    """Wait until nothing is kept."""
    until = asyncio.get_running_loop().time() + 60
    while any(kept()):
        assert asyncio.get_running_loop().time() < until, dict(zip(_MEMORY, kept(), strict=True))
        await asyncio.sleep(0.01)


@asynccontextmanager
async def answering(context, answer):
    """Give the place of somebody who answers the first message with this, or never with None; then ends."""

    def serve():
        accepted, _ = listening.accept()
        # A silent one is left by the other side, on a busy machine before TLS is spoken.
        with (
            suppress(*[OSError] if answer is None else []),
            context.wrap_socket(accepted, server_side=True) as dialled,
        ):
            dialled.recv(1000)
            if answer is None:
                dialled.recv(1000)  # the end
            else:
                dialled.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()
        await asyncio.to_thread(thread.join)  # the loop has to go on, so that the connection ends


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "no answer within"),
        (b"", "before accepting this container"),
        (b"formicary\x01" + bytes(64), "did not prove"),
    ],
    ids=["silent", "ended", "wrong"],
)
@both_loops
async def test_a_dialler_keeps_nothing(answer, sentence, kept, monkeypatch):
    if answer is None:
        monkeypatch.setattr(endpoint, "_OPENING_TIMEOUT", 1.0)
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        async with answering(c1.direct.peers.context(), answer) as place:
            offer = msgspec.structs.replace(c1.offer(c2, over="tcp"), tcp=(place,))
            with pytest.raises(LinkError, match=sentence):
                await c2.direct.dial(C1, offer)
        await nothing(kept)


@both_loops
async def test_a_dialler_keeps_nothing_where_nobody_listens(kept):
    place = "127.0.0.1", unused_port()
    async with End(C1) as c1, End(C2) as c2:
        offer = msgspec.structs.replace(c1.offer(c2, over="tcp"), tcp=(place, place))
        with pytest.raises(LinkError, match="is it running"):
            await c2.direct.dial(C1, offer)
        await nothing(kept)


@pytest.mark.parametrize("said", [None, b"", b"formicarY\x01"], ids=["silent", "ended", "wrong"])
@both_loops
async def test_an_acceptor_keeps_nothing(said, kept, monkeypatch):
    def call(place):
        with (
            suppress(*[OSError] if said is None else []),  # as above
            socket.create_connection(place) as plain,
            anonymous().wrap_socket(plain) as stranger,
        ):
            if said is None:
                stranger.recv(1000)  # the end
            else:
                stranger.sendall(said)

    async with End(C1) as c1, End(C2) as c2:
        if said is None:
            monkeypatch.setattr(endpoint, "_OPENING_TIMEOUT", 1.0)
        await asyncio.to_thread(call, c1.direct.offer(C2).tcp[0])
        while not c1.direct.dropped:  # noqa: ASYNC110 -- a Counter tells nobody
            await asyncio.sleep(0.001)
        await nothing(kept)
        monkeypatch.setattr(endpoint, "_OPENING_TIMEOUT", 60.0)
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over="tcp")):
            pass
