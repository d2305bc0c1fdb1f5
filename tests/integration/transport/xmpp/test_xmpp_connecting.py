"""Opening a container: each way in which it can fail, in the words that its user sees."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from dataclasses import replace

import pytest
from tests.integration.transport.raw import fill, until
from tests.plugins.ports import unused_port
from tests.unit.core.agents import Collect, Echo, do, start

from formicary import Container, Limits, Message, MicroAgent
from formicary.errors import AuthenticationError, FormicaryError, LinkError, MailboxFullError, NameTakenError
from formicary.server import ServerAddress
from formicary.transport import router
from formicary.transport.xmpp import stream

pytestmark = pytest.mark.server


async def refusal(kind, address, name="c1", **options):
    """Open a container, which fails; return the sentence."""
    with pytest.raises(kind) as caught:
        async with Container(name, server=address, **options):
            pytest.fail("it opened")
    assert type(caught.value) is kind or kind is LinkError
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def where(address):
    return f"the XMPP server at {address.host}:{address.port}"


async def test_a_name_that_is_taken(containers, server):
    async with containers("c1", "c2") as (c1, c2):
        await start(c1, "echo", Echo())
        assert await refusal(NameTakenError, server.address) == (
            f"a container named 'c1' is connected to {where(server.address)} already; stop it, or "
            "choose another name"
        )
        got = Collect()
        await start(c2, "a", got, do(lambda own: own.send(Message(to="echo@c1", body="still there"))))
        await until(lambda: got.messages)
        assert got.bodies == ["still there"]


async def test_a_wrong_secret(server):
    address = replace(server.address, secret="wrong")
    async with Container("c1", server=server.address):
        pass
    sentence = await refusal(AuthenticationError, address)
    assert sentence == (
        f"{where(address)} does not accept the secret of container 'c1'; compare it with the "
        "component_secret of c1.lab.localhost in the server's configuration"
    )
    assert address.secret not in repr(address)


async def test_a_server_of_ones_own_that_does_not_know_the_container(server):
    address = replace(server.address, folder=None)
    assert await refusal(LinkError, address, "stranger") == (
        f"{where(address)} does not know stranger.lab.localhost; add the output of this command to "
        "its configuration: formicary server config --platform lab.localhost --containers stranger"
    )


async def test_another_platform_than_the_servers(server):
    sentence = await refusal(LinkError, server.address, platform="other.localhost")
    assert "is for lab.localhost; give the container platform='lab.localhost'" in sentence


async def test_a_server_that_does_not_run():
    address = ServerAddress("127.0.0.1", unused_port(), "secret", "lab.localhost")
    assert await refusal(LinkError, address) == (
        f"cannot connect to {where(address)}: Connection refused; is it running?"
    )


async def test_the_clients_port_instead_of_the_components(server):
    address = replace(server.address, port=server.client_port)
    assert await refusal(LinkError, address) == (
        f"{where(address)} does not accept components on this port, only clients"
    )


@contextlib.asynccontextmanager
async def listening(answer):
    """Listen on loopback with `answer(reader, writer)`; give the address, and who is connected."""
    open_ = set()

    async def serve(reader, writer):
        open_.add(writer)
        try:
            await answer(reader, writer)
        finally:
            open_.discard(writer)
            writer.close()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        port = listener.sockets[0].getsockname()[1]
        yield ServerAddress("127.0.0.1", port, "secret", "lab.localhost"), open_
    finally:
        listener.close()
        await until(lambda: not open_)


async def silent(reader, writer):
    """Read until the other side hangs up, and say nothing."""
    while await reader.read(1 << 16):
        pass


async def test_a_port_where_nobody_answers(monkeypatch):
    monkeypatch.setattr(stream, "_CONNECT_TIMEOUT", 0.2)
    async with listening(silent) as (address, _):
        assert await refusal(LinkError, address) == (
            f"{where(address)} did not accept the container within 0.2 s; is this its port for components?"
        )


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html><body>Bad</body></html>"


@pytest.mark.parametrize(
    "words", [HTTP, b"<html><body>", b"SSH-2.0-OpenSSH_9\r\n", b"\x15\x03\x03\x00\x02\x02", b""]
)
async def test_a_port_that_speaks_something_else(words):
    async def answer(reader, writer):
        await reader.read(1)
        writer.write(words)
        await writer.drain()

    async with listening(answer) as (address, _):
        sentence = await refusal(LinkError, address)
        assert sentence.startswith(where(address))
        assert sentence.endswith("; is this its port for components?")


async def test_a_server_that_accepts_and_hangs_up_at_once():
    async def answer(reader, writer):
        writer.write(
            b"<?xml version='1.0'?><stream:stream xmlns:stream='http://etherx.jabber.org/streams' "
            b"xmlns='jabber:component:accept' id='1'><handshake/></stream:stream>"
        )
        await writer.drain()

    async with listening(answer) as (address, _):
        assert await refusal(LinkError, address) == f"{where(address)} closed the connection"


async def test_opening_that_is_cancelled_leaves_no_connection():
    async with listening(silent) as (address, connections):
        for turns in range(12):

            async def run():
                async with Container("c1", server=address):
                    pass

            opening = asyncio.create_task(run())
            for _ in range(turns):
                await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
        opening = asyncio.create_task(run())
        await until(lambda: connections)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await until(lambda: not connections)


async def test_opening_that_is_cancelled_at_any_moment_leaves_nothing(server):
    async def run(name):
        async with Container(name, server=server.address):
            await asyncio.sleep(10)

    for turns in range(40):
        opening = asyncio.create_task(run("k1"))
        for _ in range(turns):
            await asyncio.sleep(1e-4 if turns % 2 else 0)
        opening.cancel()
        with contextlib.suppress(asyncio.CancelledError, FormicaryError):
            await opening
    async with contextlib.AsyncExitStack() as stack:
        while True:  # the server may not have noticed yet that the last one is gone
            with contextlib.suppress(NameTakenError):
                await stack.enter_async_context(Container("k1", server=server.address))
                break
            await asyncio.sleep(0.005)


async def test_closing_waits_for_a_silent_server_no_longer_than_it_says(
    containers, server, monkeypatch, caplog
):
    monkeypatch.setattr(router, "_DRAIN", 0.2)
    monkeypatch.setattr(router, "_CLOSE_TIMEOUT", 0.1)
    monkeypatch.setattr(stream, "_CLOSE_TIMEOUT", 0.2)
    async with containers("c2", limits=Limits(mailbox=0)) as (c2,):
        got = Collect()
        await start(c2, "b", got)
        try:
            async with containers("c1") as (c1,):
                agent = MicroAgent("a")
                await c1.start(agent)
                await agent.send(Message(to="b@c2", body="first"))
                await until(lambda: got.messages)
                os.kill(server.pid, signal.SIGSTOP)
                with pytest.raises(MailboxFullError):
                    await fill(agent)
                closing = c1.dispatcher.transport
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert closing.is_closed
        assert "container c1 stopped before the server had read its last" in caplog.text
        said = {letter.reason for letter in c1.dead_letters} - {
            "container c1 stopped before the message could go",
            "container c1 stopped before the other end confirmed the message, which may have arrived",
        }
        assert all(re.match(r"the way to b@c2.* is not taking more for now, is full", one) for one in said)
