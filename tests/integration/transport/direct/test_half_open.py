"""Strangers who connect and do not go on: what they cost a container, and whether members still get in.

The container is a process of its own, so that memory and file descriptors are its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl

import msgspec
import pytest
from tests.integration.transport.direct.victim import LIMIT, run
from tests.integration.transport.raw import until
from tests.unit.core.agents import do, start

from formicary import Container, Message, Network
from formicary.errors import LinkError
from formicary.transport.addresses import JoinAddress
from formicary.transport.direct.half_open import MOST
from formicary.transport.direct.identity import anonymous

SOCKETS = 2  # at which it listens: its Unix socket, and TCP
BESIDE = 24  # file descriptors for everything else
LITTLE = 40  # MB: what 64 connections with TLS take, and what is not given back at once


def client_hello():
    """Return how TLS begins, which makes the other side answer."""
    outgoing = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        anonymous().wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


class Crowd:
    """Strangers who connect all at once, say something, and keep the connection."""

    def __init__(self, victim, way, said, size, *, handshake=False):
        self.victim = victim
        self.place = victim.place(way)
        self.said = said
        self.context = anonymous() if handshake else None
        self.writers = []
        self.tasks = [asyncio.create_task(self.connect()) for _ in range(size)]

    async def connect(self):
        with contextlib.suppress(OSError):  # pushed out, or no room where others wait to be accepted
            name = "" if self.context else None
            if isinstance(self.place, str):
                _, writer = await asyncio.open_unix_connection(self.place)
            else:
                _, writer = await asyncio.open_connection(*self.place, ssl=self.context, server_hostname=name)
            self.writers.append(writer)
            writer.write(self.said)
            await asyncio.sleep(60)

    async def leave(self):
        for task in self.tasks:
            task.cancel()
        await asyncio.wait(self.tasks)
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.sleep(0.01)


class Peaks:
    """The most that a victim has held."""

    def __init__(self, victim):
        self.victim = victim
        self.before = victim.megabytes
        self.megabytes = self.descriptors = 0
        self.task = asyncio.create_task(self.watch())

    async def watch(self):
        while True:
            self.megabytes = max(self.megabytes, self.victim.megabytes)
            self.descriptors = max(self.descriptors, self.victim.descriptors)
            await asyncio.sleep(0.01)

    async def end(self):
        self.task.cancel()
        await asyncio.wait([self.task])
        assert self.task.cancelled(), self.task.exception()


async def ask(behaviour):
    await behaviour.send(Message(to="echo@c1", body="hello"))
    return (await behaviour.receive(timeout=30)).body


async def member_asks(victim, way, tls):
    """Join by this way, ask the victim's agent, and leave; try as long as the test has time."""
    while True:
        with contextlib.suppress(LinkError):
            async with Container("c2", join=victim.only(way), network=Network(tls=tls)) as member:
                behaviour = do(ask)
                await start(member, "asker", behaviour)
                await behaviour.join()
                assert behaviour.result == "hello"
                return
        await asyncio.sleep(0.1)


async def dropped(victim):
    return json.loads(await victim.ask("dropped"))


@contextlib.asynccontextmanager
async def a_victim(folder, **options):
    async with asyncio.timeout(120):
        victim = await run(folder, **options)
        try:
            yield victim
        finally:
            victim.process.stdin.close()
            await victim.process.wait()
    assert "Traceback" not in victim.log.read_text()
    assert victim.process.returncode == 0


async def withstand(victim, way, said, size, *, tls, handshake=False, most=MOST):
    """Crowd a victim: while the strangers are there and after they have left, a member gets in."""
    peaks = Peaks(victim)
    crowd = Crowd(victim, way, said, size, handshake=handshake)
    await until(lambda: victim.descriptors > most)
    await member_asks(victim, way, tls)
    await crowd.leave()
    await member_asks(victim, way, tls)
    await until(lambda: victim.descriptors < BESIDE)
    await peaks.end()
    assert peaks.descriptors <= SOCKETS * (most + 1) + BESIDE
    assert peaks.megabytes - peaks.before < LITTLE


SOME_TLS = b"\x16\x03\x01"
SOME_HELLO = b"formi"
ASYNCIO_LATER = pytest.param("asyncio", marks=pytest.mark.full("the same with the other loop"))


@pytest.mark.parametrize("loop", ["uvloop", ASYNCIO_LATER])
async def test_a_crowd_of_strangers_costs_little_and_keeps_no_member_out(tmp_path, loop):
    async with a_victim(tmp_path, loop=loop, tls=True) as victim:
        await withstand(victim, "tcp", SOME_TLS, 600, tls=True)
        await withstand(victim, "tcp", client_hello(), 200, tls=True)
        await withstand(victim, "tcp", SOME_HELLO, 100, tls=True, handshake=True)
        await withstand(victim, "unix", SOME_HELLO, 200, tls=True)
        counted = await dropped(victim)
        assert counted["too many at once"] > MOST
        assert counted.keys() <= {"too many at once", "too slow", "closed early", "no TLS"}


@pytest.mark.parametrize(("tls", "way", "said"), [(False, "tcp", SOME_HELLO), ("always", "unix", SOME_TLS)])
async def test_it_is_the_same_with_other_places_of_tls(tmp_path, tls, way, said):
    async with a_victim(tmp_path, tls=tls) as victim:
        await withstand(victim, way, said, 200, tls=tls)


async def test_a_crowd_at_one_socket_keeps_nobody_out_of_another(tmp_path):
    async with a_victim(tmp_path, tls=True) as victim:
        crowd = Crowd(victim, "tcp", client_hello(), 200)
        await until(lambda: victim.descriptors > MOST)
        before = await dropped(victim)
        async with Container("c2", join=victim.only("unix")):
            pass
        assert (await dropped(victim)).keys() <= {"too many at once"}, before
        await crowd.leave()


@pytest.mark.parametrize("loop", ["uvloop", ASYNCIO_LATER])
async def test_without_file_descriptors_it_goes_on_and_says_so(tmp_path, loop):
    with socket.create_server(("127.0.0.1", 0)) as other:
        async with a_victim(tmp_path, loop=loop, tls=False, limit=True) as victim:
            await withstand(victim, "tcp", SOME_HELLO, 200, tls=False, most=LIMIT // 8)
            address = msgspec.structs.replace(
                JoinAddress.parse(victim.only("tcp")), tcp=(other.getsockname(),), domain="c9.lab.localhost"
            )
            said = "no answer"
            while "no answer" in said:  # something was closed only now, which left a descriptor for this
                await victim.ask("use 0")
                said = await victim.ask(f"dial {address}")
            assert (
                "Too many open files; this process may only have 256 files and connections open at once"
                in said
            )
            assert "raise this with `ulimit -n`" in said
            crowd = Crowd(victim, "tcp", SOME_HELLO, 10)
            waiting = asyncio.create_task(member_asks(victim, "tcp", False))
            await until(lambda: "accepts no direct connections for now" in victim.log.read_text())
            assert not waiting.done()
            await victim.ask("free")
            await waiting
            await crowd.leave()
            assert victim.log.read_text().count("\n") == 1
            assert "Too many open files; this process may only have 256 files" in victim.log.read_text()
