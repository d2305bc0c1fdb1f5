"""Platforms that do not take what is brought: the sender is told, soon, and nothing waits for ever."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.integration.gateway.conftest import until

from formicary import Container, Gateway, Limits, Message
from formicary.errors import FailedError, MailboxFullError
from formicary.gateway import outbound

pytestmark = pytest.mark.gateway


class Peer:
    """Takes connections, reads requests, and answers each in its own way."""

    def __init__(self, answer):
        self.answer = answer
        self.bodies = []
        self.connections = 0
        self.proceed = asyncio.Event()
        self._writers = []
        self._tasks = []

    async def serve(self, reader, writer):
        self.connections += 1
        self._writers.append(writer)
        self._tasks.append(asyncio.current_task())
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.bodies.append(await reader.readexactly(length))
                if self.answer is None:
                    await self.proceed.wait()
                    continue
                writer.write(self.answer)
                if b"no more" in self.answer:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def end(self):
        self.proceed.set()
        for writer in self._writers:
            writer.close()

    async def ended(self):
        self.end()
        await asyncio.gather(*self._tasks)


@asynccontextmanager
async def meeting(answer, limits=Limits(), **options):  # noqa: B008 -- they cannot be changed
    """A container with a gateway, and a platform that answers so."""
    peer = Peer(answer)
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/acc"
    async with (
        Container("c1", limits=limits) as container,
        Gateway(container, port=0, peers={"jade": address}, **options) as gateway,
    ):
        try:
            yield container, gateway, peer
        finally:
            server.close()
            await peer.ended()
            await server.wait_closed()


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"
JADES = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: Keep-Alive\r\n\r\n<html></html>\r\n"


def ask(container, **fields):
    return container.conversations.ask(Message(to="seller%jade", **fields), 60)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nnobody\n", "refused it: 404 nobody"),
        (b"HTTP/1.1 500 No\r\n\r\n<html> that never ends", "refused it: 500 No"),
        (b"HTTP/1.1 301 x\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n", "refused it: 301"),
        (b"no more HTTP\r\n\r\n", "broke the connection .*may or may not have the message"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000 + b"\r\nno more\r\n\r\n", "broke the connection"),
    ],
)
async def test_a_platform_that_refuses_or_breaks_off(answer, why):
    async with meeting(answer) as (container, gateway, _):
        with pytest.raises(FailedError, match=why):
            await ask(container)
        assert gateway.sent == 0


async def test_a_platform_that_does_not_answer_holds_nobody_up():
    async with meeting(None, timeout=1) as (container, _, peer):
        results = await asyncio.gather(*(ask(container) for _ in range(20)), return_exceptions=True)
        assert {type(result) for result in results} == {FailedError}
        assert all("has not answered within 1 s" in str(result) for result in results)
        assert len(peer.bodies) == 1  # the others were not tried, each in turn


@pytest.mark.parametrize(("answer", "connections"), [(OK, 1), (JADES, 5)])
async def test_connections_are_kept_where_answers_have_an_end(answer, connections):
    async with meeting(answer) as (container, gateway, peer):
        for number in range(5):
            await container.dispatcher.send(Message(to="seller%jade", sender="a@c1.lab.localhost"))
            await until(lambda number=number: gateway.sent == number + 1)
        assert peer.connections == connections


async def test_senders_wait_where_too_much_waits_and_are_told_when_it_takes_too_long(monkeypatch):
    monkeypatch.setattr(outbound, "_WAITING", 2)
    async with meeting(None, limits=Limits(send_timeout=0.2)) as (container, gateway, peer):
        for _ in range(2):
            await container.dispatcher.send(Message(to="seller%jade", sender="a@c1.lab.localhost"))
        with pytest.raises(
            MailboxFullError, match=r"the gateway's way to seller%jade.* had no room for 0.2 s"
        ):
            await container.dispatcher.send(Message(to="seller%jade", sender="a@c1.lab.localhost"))
        container.dispatcher.overflow.send_timeout = 30
        third = asyncio.create_task(
            container.dispatcher.send(Message(to="seller%jade", sender="a@c1.lab.localhost", body="third"))
        )
        await until(lambda: peer.bodies)
        peer.answer = OK
        peer.end()  # so the first one may have arrived or not, and the others go over a new connection
        await third
        await until(lambda: gateway.sent == 2)
        assert b"third" in peer.bodies[-1]
        assert (
            "broke the connection" in next(iter(container.dead_letters)).reason
            or len(container.dead_letters) == 2
        )


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"performative": "shout"}, "'shout' is not a performative"),
        ({"metadata": {"two words": "x"}}, "cannot be the name of a parameter"),
        ({"body": "x" * 2000}, "the message takes .* bytes as ACL; the limit is 1000"),
        ({"body": "\ud800"}, "surrogates"),
    ],
)
async def test_what_other_platforms_have_no_place_for_fails(fields, why):
    async with meeting(OK, limit=1000) as (container, gateway, peer):
        with pytest.raises(FailedError, match=why):
            await ask(container, **fields)
        assert (gateway.sent, peer.bodies) == (0, [])


async def test_a_platform_that_nobody_knows_and_one_that_is_not_there():
    async with meeting(OK) as (container, gateway, _):
        with pytest.raises(
            FailedError, match=r"the address of the platform other is not known: add it with --peer"
        ):
            await container.conversations.ask(Message(to="seller%other"), 60)
        gateway.know("other", ["http://127.0.0.1:9/acc", "http://127.0.0.1:9/second"])
        with pytest.raises(FailedError, match=r"is not there, at http://127.0.0.1:9/second"):
            await container.conversations.ask(Message(to="seller%other"), 60)
        with pytest.raises(FailedError, match="not an agent of another platform"):
            await container.conversations.ask(Message(to="a%b%other"), 60)


async def test_what_is_not_brought_when_the_gateway_closes_fails(monkeypatch):
    monkeypatch.setattr(outbound, "_DRAIN", 0.1)
    async with meeting(None) as (container, gateway, peer):
        for _ in range(3):
            await container.dispatcher.send(Message(to="seller%jade", sender="a@c1.lab.localhost"))
        await until(lambda: peer.bodies)
        await gateway.__aexit__(None, None, None)
        assert [letter.reason.partition(": ")[2] for letter in container.dead_letters] == [
            "the gateway was closed before it was delivered"
        ] * 3
