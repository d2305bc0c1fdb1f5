"""DirectEndpoint connections over real sockets."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from pathlib import Path

import msgspec
import pytest
from tests.integration.transport.direct.ends import C1, C2, C3, End, Talk, both_loops, connected, only
from tests.plugins.ports import unused_port

from formicary.errors import LinkError, UsageError
from formicary.transport.addresses import JoinAddress

WAYS = [
    ("unix", False, "Unix socket"),
    ("unix", True, "Unix socket"),
    ("unix", "always", "Unix socket with TLS 1.3"),
    ("tcp", False, r"TCP 127\.0\.0\.1:\d+"),
    ("tcp", True, r"TCP 127\.0\.0\.1:\d+ with TLS 1.3"),
    ("tcp", "always", r"TCP 127\.0\.0\.1:\d+ with TLS 1.3"),
]
every_way = pytest.mark.parametrize(("over", "tls", "description"), WAYS)


@every_way
@both_loops
async def test_frames_go_both_ways(over, tls, description):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over=over)) as (at_c2, at_c1):
            assert (at_c2.connection.peer, at_c1.connection.peer) == (C1, C2)
            assert at_c2.connection.is_dialler
            assert not at_c1.connection.is_dialler
            for side in (at_c1, at_c2):
                assert re.fullmatch(description, side.connection.description)
            for size in (0, 1, 40_000, 1 << 20):
                at_c2.connection.send(b"x" * size)
                assert await at_c1.frames.get() == b"x" * size
                at_c1.connection.send(b"y" * size)
                assert await at_c2.frames.get() == b"y" * size
        assert c1.direct.dropped == c2.direct.dropped == {}


@every_way
@both_loops
async def test_a_stranger_joins_with_the_address(over, tls, description):
    async with End(C1, tls=tls, listen="127.0.0.1") as c1, End(C3, tls=tls) as c3:
        address = JoinAddress.parse(str(c1.direct.join_address))
        async with connected(c3, c1, only(address, over)) as (at_c3, at_c1):
            assert (at_c3.connection.peer, at_c1.connection.peer) == (C1, C3)
            assert re.fullmatch(description, at_c3.connection.description)


@both_loops
async def test_on_one_host_the_unix_socket_is_taken():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2)) as (at_c2, _):
            assert at_c2.connection.description == "Unix socket"


@both_loops
async def test_where_the_unix_socket_is_out_of_reach_tcp_is_taken():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        offer = msgspec.structs.replace(c1.offer(c2), unix="/nowhere/direct")
        async with connected(c2, c1, offer) as (at_c2, _):
            assert at_c2.connection.description.startswith("TCP")


@both_loops
async def test_with_a_long_temporary_folder_there_is_no_unix_socket(tmp_path, monkeypatch):
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    async with End(C1, tls=False) as c1:
        assert c1.direct.offer(C2).unix is None
        assert c1.direct.offer(C2).tcp != ()
    assert list(folder.iterdir()) == []


@both_loops
async def test_ipv6_works_where_the_host_has_it():
    async with End(C1, listen="::1") as c1, End(C2) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over="tcp")) as (at_c2, at_c1):
            assert re.fullmatch(r"TCP \[::1\]:\d+ with TLS 1.3", at_c2.connection.description)
            at_c2.connection.send(b"hello")
            assert await at_c1.frames.get() == b"hello"


@both_loops
async def test_both_sides_can_dial_at_once():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        dialled = await asyncio.gather(
            c1.direct.dial(C2, c2.offer(c1, over="tcp")), c2.direct.dial(C1, c1.offer(c2, over="tcp"))
        )
        talks = [
            Talk(connection) for connection in (*dialled, await c1.accepted.get(), await c2.accepted.get())
        ]
        for number, talk in enumerate(talks):
            talk.connection.send(bytes([number]))
        assert [await talk.frames.get() for talk in talks] == [b"\3", b"\2", b"\1", b"\0"]
        await asyncio.gather(*(talk.connection.close() for talk in talks))


@every_way
@both_loops
async def test_closing_sends_what_was_written_first(over, tls, description):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over=over)) as (at_c2, at_c1):
            for number in range(30):
                at_c2.connection.send(bytes([number]) * 100_000)
            await at_c2.connection.close()
            assert [(await at_c1.frames.get())[0] for _ in range(30)] == list(range(30))
            assert "was closed by the other side" in str(await at_c1.lost)
            assert not at_c2.lost.done()


@every_way
@both_loops
async def test_one_who_does_not_read_makes_the_other_wait(over, tls, description):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over=over)) as (at_c2, at_c1):
            at_c1.connection.pause()
            sent = 0
            while at_c2.connection.has_room:
                at_c2.connection.send(sent.to_bytes(4, "big") * 25_000)
                sent += 1
                assert sent < 1000
                await asyncio.sleep(0)
            assert await at_c2.room.get() is False
            at_c1.connection.resume()
            assert await at_c2.room.get() is True
            assert at_c2.connection.has_room
            came = [int.from_bytes((await at_c1.frames.get())[:4], "big") for _ in range(sent)]
            assert came == list(range(sent))


@every_way
@both_loops
async def test_a_cut_connection_is_told_to_both(over, tls, description):
    async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over=over)) as (at_c2, at_c1):
            number = at_c2.connection._transport.get_extra_info("socket").fileno()
            with socket.socket(fileno=os.dup(number)) as raw:
                raw.shutdown(socket.SHUT_RDWR)
            for talk in (at_c1, at_c2):
                assert f"the direct connection to {talk.connection.peer}" in str(await talk.lost)
                talk.connection.send(b"x" * 100_000)
                talk.connection.pause()
                talk.connection.resume()


@both_loops
async def test_closing_does_not_wait_for_one_who_never_reads(monkeypatch):
    monkeypatch.setattr("formicary.transport.direct.connection._CLOSE_TIMEOUT", 0.05)
    for tls in (False, True):
        async with End(C1, tls=tls) as c1, End(C2, tls=tls) as c2:
            c1.know(c2)
            async with connected(c2, c1, c1.offer(c2, over="tcp")) as (at_c2, at_c1):
                at_c1.connection.pause()
                while at_c2.connection.has_room:
                    at_c2.connection.send(bytes(100_000))
                    await asyncio.sleep(0)
                await at_c2.connection.close()
                assert not at_c2.lost.done()


@both_loops
async def test_a_cancelled_close_cuts_the_connection():
    async with End(C1, tls=False) as c1, End(C2, tls=False) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2)) as (at_c2, at_c1):
            at_c1.connection.pause()
            while at_c2.connection.has_room:
                at_c2.connection.send(bytes(100_000))
                await asyncio.sleep(0)
            closing = asyncio.create_task(at_c2.connection.close())
            await asyncio.sleep(0)
            closing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await closing
            at_c1.connection.resume()
            await at_c1.lost


@both_loops
async def test_small_frames_are_not_held_back():
    async with End(C1, tls=False) as c1, End(C2, tls=False) as c2:
        c1.know(c2)
        async with connected(c2, c1, c1.offer(c2, over="tcp")) as talks:
            for talk in talks:
                raw = talk.connection._transport.get_extra_info("socket")
                assert raw.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@both_loops
async def test_closing_leaves_no_socket_and_no_folder():
    async with End(C1) as c1, End(C2) as c2:
        c1.know(c2)
        offer = c1.offer(c2)
        folder = Path(offer.unix).parent
        assert folder.stat().st_mode & 0o777 == 0o700
        await c1.direct.close()
        assert not folder.exists()
        with pytest.raises(LinkError, match=r"cannot connect to c1\.lab\.localhost at .*; is it running\?"):
            await c2.direct.dial(C1, offer)


@both_loops
async def test_where_nobody_can_join_there_is_no_address():
    async with End(C1, tls=False) as c1:
        assert c1.direct.join_address is None
        assert [ip for ip, _ in c1.direct.offer(C2).tcp] == ["127.0.0.1"]


@pytest.mark.parametrize("listen", ["127.0.0.1:{}", "[::1]:{}", "localhost:{}"])
@both_loops
async def test_a_port_can_be_chosen(listen):
    port = unused_port()
    async with End(C1, tls=False, listen=listen.format(port)) as c1:
        assert {number for _, number in c1.direct.join_address.tcp} == {port}


@both_loops
async def test_a_port_that_is_taken_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        c1 = End(C1, tls=False, listen=f"127.0.0.1:{port}")
        with pytest.raises(
            LinkError, match=f"cannot listen at 127.0.0.1, port {port}: Address already in use"
        ):
            await c1.direct.open()


@pytest.mark.parametrize(
    "listen",
    ["0.0.0.0", "::", "[::]:5400", "127.0.0.1:http", "127.0.0.1:70000", ":80", "no.such.host.invalid"],
)
@both_loops
async def test_what_is_no_place_to_listen_at_is_refused(listen):
    with pytest.raises(UsageError, match=r"[^;]+; use "):
        await End(C1, tls=False, listen=listen).direct.open()


@pytest.mark.parametrize(
    ("ours", "theirs", "over"), [(True, False, "tcp"), (False, True, "tcp"), (True, "always", "unix")]
)
@both_loops
async def test_two_who_differ_about_tls_are_told(ours, theirs, over):
    async with End(C1, tls=theirs) as c1, End(C2, tls=ours) as c2:
        c1.know(c2)
        with pytest.raises(LinkError, match="use the same tls= for both"):
            await c2.direct.dial(C1, c1.offer(c2, over=over))


@both_loops
async def test_from_another_host_a_container_on_loopback_is_out_of_reach():
    async with End(C1, tls=False) as c1, End(C2, tls=False) as c2:
        c1.know(c2)
        with pytest.raises(
            LinkError, match=r"c1\.lab\.localhost does not listen anywhere that this host can reach"
        ):
            await c2.direct.dial(C1, msgspec.structs.replace(c1.offer(c2), host="another"))
