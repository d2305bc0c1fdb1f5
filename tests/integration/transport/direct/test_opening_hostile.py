"""Whoever should not connect does not, is counted, and disturbs nobody else."""

from __future__ import annotations

import asyncio
import socket
import ssl
from contextlib import suppress

import msgspec
import pytest
from tests.integration.transport.direct.ends import C1, C2, C3, End, Talk, both_loops, connected

from formicary.errors import AuthenticationError, LinkError
from formicary.transport.addresses import NO_FINGERPRINT
from formicary.transport.direct import half_open
from formicary.transport.direct.identity import Identity, anonymous
from formicary.transport.direct.opening import DiallerOpening

both_tls = pytest.mark.parametrize("tls", [False, True])


async def counted(end, reason, times=1):
    """Wait until something was dropped for this reason."""
    while end.direct.dropped[reason] < times:  # noqa: ASYNC110 -- a Counter tells nobody
        await asyncio.sleep(0.001)
    assert end.direct.dropped == {reason: times}


async def still_works(c1, c2):
    async with connected(c2, c1, c1.offer(c2, over="tcp")) as (at_c2, at_c1):
        at_c2.connection.send(b"hello")
        assert await at_c1.frames.get() == b"hello"


async def reach(c1, *, tls=False):
    """Connect to a container's port, without saying anything."""
    place = c1.direct.offer("stranger.lab.localhost").tcp[0]
    return await asyncio.open_connection(
        *place, ssl=anonymous() if tls else None, server_hostname="" if tls else None
    )


async def until_closed(reader, writer):
    try:
        answer = await reader.read()
    except ConnectionError:
        answer = b""
    writer.close()
    return answer


@pytest.mark.parametrize(
    "said", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"formicarY\x01", bytes(5000)]
)
@both_tls
@both_loops
async def test_garbage_is_dropped(said, tls):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        reader, writer = await reach(c1, tls=tls)
        writer.write(said)
        assert await until_closed(reader, writer) == b""
        await counted(c1, "no opening")
        c1.direct.dropped.clear()
        await still_works(c1, c2)


@both_loops
async def test_one_who_speaks_no_tls_is_dropped():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        reader, writer = await reach(c1)
        writer.write(b"formicary\x01" + bytes(100))
        await until_closed(reader, writer)
        await counted(c1, "no TLS")
        c1.direct.dropped.clear()
        await still_works(c1, c2)


@both_loops
async def test_old_tls_is_not_spoken():
    async with End(C1) as c1:
        context = anonymous()
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_2
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await asyncio.open_connection(*c1.direct.offer(C2).tcp[0], ssl=context, server_hostname="")
        await counted(c1, "no TLS")


@both_loops
async def test_another_version_is_answered_with_ours():
    async with End(C1, tls=False) as c1:
        reader, writer = await reach(c1)
        writer.write(b"formicary\x07" + bytes(100))
        assert await until_closed(reader, writer) == b"formicary\x01"
        await counted(c1, "other version")


@both_tls
@both_loops
async def test_a_truncated_opening_is_dropped(tls):
    async with End(C1, tls=tls) as c1:
        reader, writer = await reach(c1, tls=tls)
        writer.write(b"formicary\x01")
        writer.write_eof() if writer.can_write_eof() else writer.close()
        await until_closed(reader, writer)
        await counted(c1, "closed early")


@both_tls
@both_loops
async def test_slow_ones_are_dropped(tls, monkeypatch):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        monkeypatch.setattr("formicary.transport.direct.endpoint._OPENING_TIMEOUT", 1.0)
        silent = await reach(c1)
        with suppress(OSError):  # on a busy machine TLS takes longer
            slow = await reach(c1, tls=tls)
            for byte in b"formicary\x01":
                slow[1].write(bytes([byte]))
            await until_closed(*slow)
        await until_closed(*silent)
        await counted(c1, "too slow", 2)
        monkeypatch.setattr("formicary.transport.direct.endpoint._OPENING_TIMEOUT", 60.0)
        c1.direct.dropped.clear()
        await still_works(c1, c2)


@both_loops
async def test_a_crowd_of_silent_ones_does_not_keep_others_out(monkeypatch):
    monkeypatch.setattr(half_open, "MOST", 4)
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        crowd = [await reach(c1) for _ in range(10)]
        await counted(c1, "too many at once", 6)
        c1.direct.dropped.clear()
        await still_works(c1, c2)
        assert c1.direct.dropped.total() <= 1  # none where the newcomer has proven who it is at once
        assert c1.direct.dropped.keys() <= {"too many at once"}
        await c1.direct.close()
        for stream in crowd:
            await until_closed(*stream)


@both_tls
@both_loops
async def test_a_wrong_key_does_not_open(tls):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        offer = msgspec.structs.replace(c1.offer(c2, over="tcp"), key=b"x" * 32)
        with pytest.raises(AuthenticationError, match=r"did not prove to be c1\.lab\.localhost"):
            await c2.direct.dial(C1, offer)
        await counted(c1, "closed early")
        assert c1.accepted.empty()


@both_loops
async def test_a_wrong_token_does_not_join():
    async with End(C1, listen="127.0.0.1") as c1, End(C3) as c3:
        with pytest.raises(AuthenticationError):
            await c3.direct.dial(C1, msgspec.structs.replace(c1.direct.join_address, key=b"x" * 32))


@both_loops
async def test_nobody_joins_where_nobody_may():
    async with End(C1, listen="127.0.0.1") as c1, End(C2) as c2, End(C3) as c3:
        address = msgspec.structs.replace(
            c1.direct.join_address,
            tcp=c2.direct.offer(C3).tcp,
            unix=None,
            domain=C2,
            fingerprint=c2.direct.offer(C3).fingerprint,
        )
        with pytest.raises(LinkError, match="closed the connection before accepting this container"):
            await c3.direct.dial(C2, address)
        await counted(c2, "nobody may join")


@both_loops
async def test_a_joiner_is_told_why_not():
    async with (
        End(C1, listen="127.0.0.1", admit=lambda peer: f"there is a {peer} already") as c1,
        End(C3) as c3,
    ):
        with pytest.raises(LinkError, match=r"c1\.lab\.localhost refused this container: there is a c3\.lab"):
            await c3.direct.dial(C1, c1.direct.join_address)
        assert c1.accepted.empty()


@both_tls
@both_loops
async def test_one_cannot_claim_anothers_name(tls):
    """A known peer, with its own key and certificate, says that it is another known peer."""
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2, End(C3, tls=tls) as c3:
        c1.know(c2)
        c1.know(c3)
        c3.direct._domain = C2
        with pytest.raises(LinkError):
            await c3.direct.dial(C1, c1.offer(c3, over="tcp"))
        await counted(c1, "other certificate" if tls else "closed early")
        assert c1.accepted.empty()


@both_loops
async def test_a_stolen_key_is_of_no_use_without_the_certificate():
    async with End(C1) as c1, End(C2) as c2, End(C3) as c3:
        c1.know(c2)
        c3.direct._domain = C2
        with pytest.raises(LinkError, match="does it expect this one"):
            await c3.direct.dial(C1, c1.offer(c2, over="tcp"))
        await counted(c1, "unknown certificate")


@both_loops
async def test_the_diallers_certificate_is_asked_for():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        c2.direct._showing = anonymous()
        with pytest.raises(LinkError):
            await c2.direct.dial(C1, c1.offer(c2, over="tcp"))
        await counted(c1, "other certificate")


@both_loops
async def test_an_acceptor_with_another_certificate_is_not_talked_to():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        offer = msgspec.structs.replace(c1.offer(c2, over="tcp"), certificate=Identity.make().certificate)
        with pytest.raises(
            AuthenticationError, match=r"different certificate than that of c1\.lab\.localhost"
        ):
            await c2.direct.dial(C1, offer)


@both_loops
async def test_one_in_the_middle_who_has_its_own_certificate_is_found_out():
    """Before the dialler has said anything: who may join the acceptor is a secret."""
    async with End(C1, listen="127.0.0.1") as c1, End(C3) as c3:
        middle, heard = Identity.make(), asyncio.get_running_loop().create_future()

        async def pass_on(reader, writer):
            heard.set_result(await until_closed(reader, writer))

        server = await asyncio.start_server(pass_on, "127.0.0.1", 0, ssl=middle.accepting())
        address = msgspec.structs.replace(
            c1.direct.join_address,
            unix=None,
            tcp=(server.sockets[0].getsockname(),),
        )
        with pytest.raises(
            AuthenticationError, match=r"different certificate than that of c1\.lab\.localhost"
        ):
            await c3.direct.dial(C1, address)
        assert await heard == b""
        server.close()


@pytest.mark.parametrize("joins", [False, True])
@both_loops
async def test_one_in_the_place_of_a_unix_socket_cannot_pass_on_to_tcp(joins, tmp_path):
    """It needs no certificate for the dialler, as there is no TLS on Unix sockets."""
    async with End(C1, listen="127.0.0.1") as c1, End(C2) as c2:
        c1.know(c2)
        path, place = str(tmp_path / "direct"), c1.direct.offer(C2).tcp[0]

        async def pass_on(reader, writer):
            beyond = await asyncio.open_connection(*place, ssl=anonymous(), server_hostname="")
            await asyncio.gather(*(copy(*way) for way in ((reader, beyond[1]), (beyond[0], writer))))

        async def copy(reader, writer):
            with suppress(OSError):
                while data := await reader.read(1000):
                    writer.write(data)
            writer.close()

        server = await asyncio.start_unix_server(pass_on, path)
        address = c1.direct.join_address if joins else c1.offer(c2)
        try:
            with pytest.raises(AuthenticationError if joins else LinkError):
                (await c2.direct.dial(C1, msgspec.structs.replace(address, unix=path, tcp=()))).abort()
            await counted(c1, "closed early" if joins else "other certificate")
            assert c1.accepted.empty()
        finally:
            server.close()


@both_loops
async def test_a_recorded_opening_does_not_open_again():
    async with End(C1, tls=False) as c1, End(C2, tls=False) as c2:
        c1.know(c2)
        offer = c1.offer(c2, over="tcp")
        opening = DiallerOpening(C2, C1, offer.key, by_token=False, certificate=NO_FINGERPRINT)
        reader, writer = await reach(c1)
        said = [opening.first()]
        writer.write(said[0])
        said.append(opening.received(await reader.readexactly(74)))
        writer.write(said[1])
        assert await reader.readexactly(3) == b"\0\0\0"
        (await c1.accepted.get()).abort()
        await until_closed(reader, writer)

        reader, writer = await reach(c1)
        writer.write(said[0])
        await reader.readexactly(74)
        writer.write(said[1])
        assert await until_closed(reader, writer) == b""
        await counted(c1, "wrong proof")
        assert c1.accepted.empty()


@both_tls
@both_loops
async def test_a_forgotten_peer_is_not_let_in(tls):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        offer = c1.offer(c2, over="tcp")
        c1.direct.peers.forget(C2)
        with pytest.raises(LinkError, match="closed the connection before accepting this container"):
            await c2.direct.dial(C1, offer)
        await counted(c1, "unknown peer")
        c1.direct.dropped.clear()
        c1.know(c2)
        await still_works(c1, c2)


@both_tls
@both_loops
async def test_a_container_that_started_anew_is_let_in_again(tls):
    async with End(C1, tls=tls) as c1:
        for _ in range(2):
            async with End(C2, tls=tls) as c2:
                c1.know(c2)
                await still_works(c1, c2)


@both_tls
@both_loops
async def test_too_long_a_frame_ends_the_connection(tls):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over="tcp")) as (at_c2, at_c1):
            at_c2.connection.send(bytes(2_000_000))
            assert "sent a frame of 2000000 bytes" in str(await at_c1.lost)
            await at_c2.lost
        await counted(c1, "frame too long")


@both_loops
async def test_what_answers_with_garbage_is_an_error():
    async def babble(_, writer):
        writer.write(b"220 mail.example ESMTP\r\n")
        await writer.drain()
        writer.close()

    async with End(C1, tls=False) as c1, End(C2, tls=False) as c2:
        server = await asyncio.start_server(babble, "127.0.0.1", 0)
        place = server.sockets[0].getsockname()
        with pytest.raises(LinkError, match=r"what answers there is not c1\.lab\.localhost"):
            await c2.direct.dial(C1, msgspec.structs.replace(c1.offer(c2), unix=None, tcp=(place,)))
        server.close()


@both_tls
@both_loops
async def test_what_never_answers_is_an_error(tls, monkeypatch):
    monkeypatch.setattr("formicary.transport.direct.endpoint._OPENING_TIMEOUT", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
            offer = msgspec.structs.replace(c1.offer(c2), unix=None, tcp=(silent.getsockname(),))
            with pytest.raises(LinkError, match=r"no answer within 0\.1 s"):
                await c2.direct.dial(C1, offer)


@both_loops
async def test_a_cancelled_dial_leaves_nothing():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for tls in (False, True):
            async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
                offer = msgspec.structs.replace(c1.offer(c2), unix=None, tcp=(silent.getsockname(),))
                dialling = asyncio.create_task(c2.direct.dial(C1, offer))
                await asyncio.sleep(0.02)
                dialling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await dialling


@both_loops
async def test_closing_ends_what_is_half_open():
    async with End(C1, tls=False) as c1:
        stream = await reach(c1)
        stream[1].write(b"formi")
        await asyncio.sleep(0.02)
        await c1.direct.close()
        assert await until_closed(*stream) == b""


@both_loops
async def test_frames_behind_the_opening_wait_for_the_start():
    async with End(C1, tls=False) as c1, End(C2, tls=False) as c2:
        c1.know(c2)
        ours = await c2.direct.dial(C1, c1.offer(c2))
        ours.send(b"early")
        theirs = await c1.accepted.get()
        await asyncio.sleep(0.02)
        assert await Talk(theirs).frames.get() == b"early"
        await asyncio.gather(ours.close(), theirs.close())
