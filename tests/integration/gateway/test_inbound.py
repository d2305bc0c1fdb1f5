"""What others bring that is not taken: each gets a status and a sentence, and the gateway goes on."""

import asyncio
from datetime import UTC, datetime

import aiohttp
import pytest
from tests.integration.gateway.conftest import Echo, until

from formicary import Agent, Container, CyclicBehaviour, Gateway, Limits
from formicary.directory.central.client import AGENT
from formicary.gateway import inbound
from formicary.gateway.acl_message import AclMessage, AgentIdentifier, write_acl
from formicary.gateway.envelope import Envelope, write_envelope, write_parts
from formicary.groups.mailing import DISTRIBUTOR

pytestmark = pytest.mark.gateway
SENDER = AgentIdentifier("Seller@jade", ("http://127.0.0.1:9/acc",))
ECHO = AgentIdentifier("echo@c1.lab.localhost")


def acl(**changes):
    fields = {"performative": "inform", "sender": SENDER, "content": "hello"} | changes
    return write_acl(AclMessage(**fields))[0]


def envelope(**changes):
    return write_envelope(Envelope(**({"to": (ECHO,)} | changes)), datetime.now(UTC))


def to(name):
    return envelope(to=(AgentIdentifier(name),))


async def post(gateway, part=None, payload=None, *, method="POST", path="", **changes):
    """Bring something; return the status and the sentence."""
    content_type, body = write_parts(part or envelope(), payload or acl(), "UTF-8")
    headers = {"Content-Type": changes.pop("content_type", content_type)}
    data = changes.pop("body", body)
    headers |= changes
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())) as session,
        session.request(method, gateway.address + path, data=data, headers=headers) as answer,
    ):
        return answer.status, await answer.text()


BOMB = (
    b'<!DOCTYPE e [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><envelope><params><to><agent-identifier>'
    b"<name>&b;</name></agent-identifier></to></params></envelope>"
)
OURS = AgentIdentifier("boss@c1.lab.localhost")
BEYOND = AgentIdentifier("boss@lab.localhost")
REFUSED = {
    "another place": ({"path": "/other"}, 404, "messages are accepted at /acc"),
    "another method": ({"method": "GET"}, 405, "by POST"),
    "no parts": ({"content_type": "text/plain"}, 400, "multipart/mixed"),
    "garbage": ({"body": b"garbage"}, 400, "two parts"),
    "no XML": ({"part": b"hello"}, 400, "not XML"),
    "a bomb": ({"part": BOMB}, 400, "document type"),
    "no ACL": ({"payload": b"hello"}, 400, "a ( is missing"),
    "a body too large": ({"body": b"x" * 400_000}, 413, "the body has more than"),
    "a message too large": ({"payload": b" " * 100_001}, 413, "the message has more than 100000"),
    "an envelope too large": ({"part": b" " * 66_000}, 413, "the envelope has more than"),
    "another form": (
        {"part": envelope(representation="fipa.acl.rep.xml.std")},
        415,
        "must be fipa.acl.rep.string",
    ),
    "another length": ({"part": envelope(payload_length=7)}, 400, "its envelope says 7"),
    "for nobody": ({"part": to("nobody@c1.lab.localhost")}, 404, "no agent named 'nobody'"),
    "for a container that is not there": (
        {"part": to("echo@c2.lab.localhost")},
        404,
        "connected to no other",
    ),
    "for another platform": ({"part": to("echo@jade")}, 404, "not an agent of this platform"),
    "for no name": ({"part": to("echo smith@c1.lab.localhost")}, 400, "contains ' '"),
    "for the directory": ({"part": to(f"{AGENT}@c1.lab.localhost")}, 403, "accepts no messages from other"),
    "for groups": ({"part": to(f"{DISTRIBUTOR}@c1.lab.localhost")}, 403, "accepts no messages from other"),
    "for the container itself": ({"part": to("ams@c1.lab.localhost")}, 403, "accepts no messages from other"),
    "for one that is here and one that is not": (
        {"part": envelope(to=(ECHO, AgentIdentifier("nobody@c1.lab.localhost")))},
        404,
        "no agent named 'nobody'",
    ),
    "of nobody": ({"payload": acl(sender=None)}, 400, "no sender"),
    "as one of ours": ({"payload": acl(sender=OURS)}, 403, "an agent of this platform"),
    "as one of ours, otherwise written": (
        {"payload": acl(sender=AgentIdentifier("Boss@C1.LAB.localhost"))},
        403,
        "an agent of this platform",
    ),
    "as the platform": ({"payload": acl(sender=BEYOND)}, 403, "an agent of this platform"),
    "of no platform": ({"payload": acl(sender=AgentIdentifier("seller"))}, 400, "not the name of an agent"),
    "with answers to many": ({"payload": acl(reply_to=(SENDER, SENDER))}, 400, "several agents"),
}


async def test_what_is_refused_gets_a_status_and_a_sentence(caplog):
    async with Container("c1") as container, Gateway(container, port=0, limit=100_000) as gateway:
        await container.start(echo := Echo())
        for number, (changes, status, why) in enumerate(REFUSED.values(), 1):
            got, sentence = await post(gateway, **changes)
            assert (got, why in sentence, sentence[-2:]) == (status, True, "\r\n"), sentence
            assert gateway.refused == number
        assert echo.got == []
        assert len(caplog.records) == 10  # and one each thousand
        assert await post(gateway) == (200, "")
        assert [message.body for message in echo.got] == ["hello"]


async def test_platforms_that_are_not_named_are_refused_where_that_was_said():
    peers = {"jade": "http://127.0.0.1:9/acc"}
    async with (
        Container("c1") as container,
        Gateway(container, port=0, peers=peers, strangers=False) as gateway,
    ):
        await container.start(echo := Echo())
        stranger = acl(sender=AgentIdentifier("seller@elsewhere"))
        status, why = await post(gateway, payload=stranger)
        assert (status, "from the platform elsewhere are not accepted" in why) == (403, True)
        assert (await post(gateway))[0] == 200
        assert len(echo.got) == 1


async def connect(gateway, said=b""):
    host, port = gateway.address.removeprefix("http://").removesuffix("/acc").split(":")
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(said)
    return reader, writer


async def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(inbound, "ASKING", 0.5)
    async with Container("c1") as container, Gateway(container, port=0) as gateway:
        head = b"POST /acc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"
        reader, writer = await connect(gateway, head)  # and no more of it
        assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
        writer.close()


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"], ids=["silent", "answered"]
)
async def test_a_crowd_that_says_nothing_keeps_no_platform_out(said):
    async with Container("c1") as container, Gateway(container, port=0) as gateway:
        await container.start(echo := Echo())
        crowd = []
        for _ in range(400):
            reader, writer = await connect(gateway, said)
            if said:  # it has been answered, and is silent then
                assert (await reader.readuntil(b"at /acc\r\n")).startswith(b"HTTP/1.1 404 ")
            crowd.append((reader, writer))
        assert (await post(gateway))[0] == 200
        await until(lambda: sum(reader.at_eof() for reader, _ in crowd) >= 400 - 100)
        for _, writer in crowd:
            writer.close()
    assert len(echo.got) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"Transfer-Encoding: chunked\r\n\r\nXYZ\r\n",
        b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nbomb",
    ],
    ids=["broken chunks", "compressed"],
)
async def test_a_body_that_is_none_is_refused_and_fills_no_log(body, caplog):
    async with Container("c1") as container, Gateway(container, port=0) as gateway:
        reader, writer = await connect(gateway, b"POST /acc HTTP/1.1\r\nHost: localhost\r\n" + body)
        assert b" 400 " in await reader.readline()
        writer.close()
    assert all(record.exc_info is None for record in caplog.records)


HEADERS = {
    "another name": (
        {"Host": "evil.example:7778"},
        "this gateway is not called 'evil.example:7778': send to http://127.0.0.1:",
    ),
    "one that begins as ours": ({"Host": "127.0.0.1.evil.example"}, "this gateway is not called"),
    "no name": ({"Host": "[::1"}, "this gateway is not called"),
    "another site": ({"Origin": "http://evil.example"}, "web pages may not send"),
    "a rebound site": ({"Origin": "http://evil.example", "Host": "evil.example"}, "web pages may not send"),
    "a file": ({"Origin": "null"}, "web pages may not send"),
    "a page of this host": ({"Origin": "http://127.0.0.1:8000"}, "web pages may not send"),
    "a page that hides where it is": ({"Sec-Fetch-Site": "cross-site"}, "web pages may not send"),
}


@pytest.mark.parametrize(("headers", "why"), HEADERS.values(), ids=HEADERS)
async def test_requests_of_web_pages_are_refused(headers, why):
    async with Container("c1") as container, Gateway(container, port=0) as gateway:
        await container.start(echo := Echo())
        status, said = await post(gateway, **headers)
        assert (status, why in said) == (403, True), said
        assert echo.got == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1:1", "localhost:9000", "[::1]:7778", "gate.example", "Gate.Example:80"]
)
async def test_a_gateway_s_own_host_names_are_accepted(host):
    address = "http://gate.example:80/acc"
    async with Container("c1") as container, Gateway(container, port=0, address=address) as gateway:
        await container.start(Echo())
        gateway.address = f"http://127.0.0.1:{gateway._inbound._server._listening.getsockname()[1]}/acc"
        assert (await post(gateway, Host=host))[0] == 200


async def test_strangers_cannot_make_it_write_to_this_host():
    internal = []
    async with (
        Container("c1") as container,
        Gateway(container, port=0) as gateway,
        await asyncio.start_server(lambda *streams: internal.append(streams), "127.0.0.1", 0) as server,
    ):
        await container.start(echo := Echo())
        port = server.sockets[0].getsockname()[1]
        for number, host in enumerate(
            ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1"], 1
        ):
            sender = AgentIdentifier(f"seller@p{number}", (f"http://{host}:{port}/admin",))
            for given in ({"sender": sender}, {"reply_to": (sender,)}):
                status, _ = await post(gateway, payload=acl(performative="request", **given))
                assert status == 200
        await until(lambda: len(container.dead_letters) == 10)
        reasons = {letter.reason for letter in container.dead_letters}
        assert any("add it with --peer or `peers=`" in reason for reason in reasons)
        assert any("localhost is not a public address" in reason for reason in reasons)
        assert sum(message.performative == "request" for message in echo.got) == 10
        assert gateway.sent == 0
        assert internal == []


async def test_a_sender_waits_until_a_full_mailbox_has_room_and_is_told_if_it_has_none():
    class Slow(CyclicBehaviour):
        async def run(self):
            await asyncio.Event().wait()

    async with (
        Container("c1", limits=Limits(mailbox=1, send_timeout=0.1)) as container,
        Gateway(container, port=0) as gateway,
    ):
        agent = Agent("echo")
        agent.add_behaviour(Slow())
        await container.start(agent)
        assert (await post(gateway))[0] == 200
        assert (await post(gateway))[0] == 200
        assert any("had no room for 0.1 s" in letter.reason for letter in container.dead_letters)
