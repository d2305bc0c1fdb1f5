"""A server of HTTP among clients that say nothing, or too slowly, or what is none."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import web

from formicary.http import connections, server
from formicary.http.server import HttpServer, listen
from formicary.transport.accepting import source_of

pytestmark = pytest.mark.gateway
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
OK = b"HTTP/1.1 200 OK"


class Served:
    """A server, and what it is asked for."""

    def __init__(self):
        self.asked = 0
        self.proceed = asyncio.Event()
        self.proceed.set()
        self.body = b"hello"

    async def answer(self, request, connection):
        self.asked += 1
        connection.answer()
        await self.proceed.wait()
        if request.path == "/bug":
            raise ZeroDivisionError
        return web.Response(body=self.body)

    async def connect(self, said=b"", *, of="127.0.0.1"):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(of, 0))
        writer.write(said)
        self._writers.append(writer)
        return reader, writer

    @asynccontextmanager
    async def opened(self, most=100, kept=60.0):
        self._writers = []
        listening = listen("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.server = HttpServer("the server", self.answer, connections=most, kept=kept)
        self.server.open(listening)
        try:
            yield
        finally:
            for writer in self._writers:
                writer.close()
            await self.server.close()


@pytest.fixture
def served():
    return Served()


@pytest.fixture
def impatient(monkeypatch):
    """Have requests get little time."""
    monkeypatch.setattr(connections, "ASKING", 0.05)


async def until(is_so):
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 -- nobody tells it
            await asyncio.sleep(0.001)


async def ended(reader):
    """Wait until the server ends a connection; return what it has said."""
    said = b""
    async with asyncio.timeout(60):
        with suppress(ConnectionError):
            while part := await reader.read(1 << 20):
                said += part
    return said


async def answered(reader):
    async with asyncio.timeout(60):
        head = await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(5) == b"hello"
    return head


async def drip(writer, said):
    """Say something without an end, byte by byte."""
    writer.write(said)
    with suppress(ConnectionError):
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nX: "])
async def test_one_that_asks_for_nothing_in_time_is_ended(served, impatient, said):
    async with served.opened():
        reader, _ = await served.connect(said)
        assert await ended(reader) == b""
    assert served.asked == 0


async def test_one_that_asks_without_an_end_is_ended(served, impatient):
    async with served.opened():
        reader, writer = await served.connect()
        dripping = asyncio.create_task(drip(writer, b"GET /"))
        assert await ended(reader) == b""
        dripping.cancel()
        await asyncio.wait([dripping])


async def test_one_that_had_an_answer_is_silent_again(served):
    async with served.opened(kept=0.05):
        reader, _ = await served.connect(REQUEST)
        assert OK in await answered(reader)
        assert await ended(reader) == b""


async def test_one_that_had_an_answer_has_to_end_what_it_begins(served, monkeypatch):
    async with served.opened():
        reader, writer = await served.connect(REQUEST)
        await answered(reader)
        monkeypatch.setattr(connections, "ASKING", 0.05)
        dripping = asyncio.create_task(drip(writer, b"GET /"))
        assert await ended(reader) == b""
        dripping.cancel()
        await asyncio.wait([dripping])


async def test_what_it_begins_while_it_is_answered_counts_too(served, monkeypatch):
    served.proceed.clear()
    async with served.opened():
        reader, writer = await served.connect(REQUEST)
        await until(lambda: served.asked)
        (connection,) = served.server._connections._all.values()
        assert connection._patience.cancelled()  # it waits for us, for as long as it takes
        monkeypatch.setattr(connections, "ASKING", 0.05)
        writer.write(b"GET /")
        await until(lambda: connection._has_more)
        served.proceed.set()
        await answered(reader)
        assert await ended(reader) == b""


async def test_one_that_takes_nothing_is_ended(served, monkeypatch):
    monkeypatch.setattr(connections, "_TAKING", 0.05)
    served.body = bytes(1 << 25)  # more than the system keeps
    async with served.opened():
        reader, _ = await served.connect(REQUEST)
        await reader.readuntil(b"\r\n\r\n")
        reader._transport.pause_reading()
        await until(lambda: not len(served.server._connections))
        reader._transport.resume_reading()
        assert len(await ended(reader)) < len(served.body)


async def test_silent_ones_make_room_and_who_is_answered_stays(served):
    async with served.opened(most=3):
        served.proceed.clear()
        busy, _ = await served.connect(REQUEST)
        await until(lambda: served.asked)
        silent = [(await served.connect())[0] for _ in range(30)]
        asks, _ = await served.connect(REQUEST)
        served.proceed.set()
        await answered(busy)
        await answered(asks)
        for reader in silent[:-1]:
            assert await ended(reader) == b""
        assert served.server.refused == 0


async def test_a_crowd_keeps_nobody_else_out(served, monkeypatch):
    monkeypatch.setattr(server, "source", source_of)  # as if they were other hosts
    async with served.opened(most=3):
        served.proceed.clear()
        crowd = [(await served.connect(REQUEST, of="127.0.0.2"))[0] for _ in range(3)]
        await until(lambda: served.asked == 3)
        assert (await ended((await served.connect(of="127.0.0.2"))[0])).startswith(b"HTTP/1.1 503 ")
        assert served.server.refused == 1
        other, _ = await served.connect(REQUEST)
        await until(lambda: served.asked == 4)
        served.proceed.set()
        await answered(other)
        assert await ended(crowd[0]) == b""
        await answered(crowd[1])


async def test_what_is_no_request_fills_no_log(served, caplog):
    async with served.opened():
        for said in (
            b"\x16\x03\x01garbage\r\n\r\n",
            b"GET / HTTP/9\r\n\r\n",
            b"GET  \r\n\r\n",
            b"\r\n\r\n\0" * 9,
        ):
            reader, _ = await served.connect(said)
            assert (await reader.readline()).startswith(b"HTTP/1.0 400 ")
    assert caplog.records == []


async def test_a_mistake_of_ours_is_said_but_not_without_an_end(served, caplog):
    async with served.opened():
        for number in range(1, 31):
            reader, _ = await served.connect(REQUEST.replace(b"/ ", b"/bug "))
            assert b" 500 " in await reader.readline()
            assert served.server.refused == number
    assert len(caplog.records) == 10
    assert caplog.messages[0] == "the server could not answer a request; please report this"
    assert "ZeroDivisionError" in caplog.text


async def test_it_closes_with_all_its_connections(served):
    async with served.opened():
        served.proceed.clear()
        readers = [(await served.connect(said))[0] for said in (b"", REQUEST, b"GET", REQUEST + REQUEST)]
        await until(lambda: served.asked == 2)
    for reader in readers:
        await ended(reader)
