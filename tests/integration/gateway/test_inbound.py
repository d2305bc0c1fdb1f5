"""What others bring that is not taken: each gets a status and a sentence, and the gateway goes on."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime

import aiohttp
import pytest
from tests.integration.gateway.conftest import Echo, until

from formicary import Agent, Container, CyclicBehaviour, Gateway
from formicary.gateway import inbound
from formicary.gateway.acl_message import AclMessage, AgentIdentifier
from formicary.gateway.acl_writer import write_acl
from formicary.gateway.envelope import Envelope, write_envelope
from formicary.gateway.multipart import write_parts

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
    headers = {"Content-Type": changes.get("content_type", content_type)}
    data = changes.get("body", body)
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
    "another place": ({"path": "/other"}, 404, "messages are taken at /acc"),
    "another method": ({"method": "GET"}, 405, "by POST"),
    "no parts": ({"content_type": "text/plain"}, 400, "multipart/mixed"),
    "garbage": ({"body": b"garbage"}, 400, "two parts"),
    "no XML": ({"part": b"hello"}, 400, "not XML"),
    "a bomb": ({"part": BOMB}, 400, "document type"),
    "no ACL": ({"payload": b"hello"}, 400, "there is no ("),
    "a body too large": ({"body": b"x" * 400_000}, 413, "the body has more than"),
    "a message too large": ({"payload": b" " * 100_001}, 413, "the message has more than 100000"),
    "an envelope too large": ({"part": b" " * 66_000}, 413, "the envelope has more than"),
    "another form": (
        {"part": envelope(representation="fipa.acl.rep.xml.std")},
        415,
        "as fipa.acl.rep.string",
    ),
    "another length": ({"part": envelope(payload_length=7)}, 400, "its envelope says 7"),
    "for nobody": ({"part": to("nobody@c1.lab.localhost")}, 404, "no agent named 'nobody'"),
    "for a container that is not there": (
        {"part": to("echo@c2.lab.localhost")},
        404,
        "connected to no other",
    ),
    "for another platform": ({"part": to("echo@jade")}, 404, "no agent of this platform"),
    "for no name": ({"part": to("echo smith@c1.lab.localhost")}, 400, "has ' ' in it"),
    "for the container itself": ({"part": to("ams@c1.lab.localhost")}, 403, "takes no messages of other"),
    "for one that is here and one that is not": (
        {"part": envelope(to=(ECHO, AgentIdentifier("nobody@c1.lab.localhost")))},
        404,
        "no agent named 'nobody'",
    ),
    "of nobody": ({"payload": acl(sender=None)}, 400, "no sender"),
    "as one of ours": ({"payload": acl(sender=OURS)}, 403, "one of ours"),
    "as one of ours, otherwise written": (
        {"payload": acl(sender=AgentIdentifier("Boss@C1.LAB.localhost"))},
        403,
        "one of ours",
    ),
    "as the platform": ({"payload": acl(sender=BEYOND)}, 403, "one of ours"),
    "of no platform": ({"payload": acl(sender=AgentIdentifier("seller"))}, 400, "no name of an agent"),
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
        assert (status, "the platform elsewhere is none" in why) == (403, True)
        assert (await post(gateway))[0] == 200
        assert len(echo.got) == 1


async def test_more_connections_than_may_be_are_refused_and_silent_ones_are_ended(monkeypatch):
    monkeypatch.setattr(inbound, "_PATIENCE", 1.0)  # what comes before the answers takes less
    async with Container("c1") as container, Gateway(container, port=0, connections=2) as gateway:
        await container.start(Echo())
        host, port = gateway.address.removeprefix("http://").removesuffix("/acc").split(":")
        silent = [await asyncio.open_connection(host, port) for _ in range(2)]
        reader, writer = await asyncio.open_connection(host, port)
        assert (await reader.read()).startswith(b"HTTP/1.1 503 ")
        writer.close()
        silent[0][1].write(
            b"POST /acc HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"
        )  # and no more of it
        assert (await silent[0][0].readline()).startswith(b"HTTP/1.1 408 ")
        for reader, writer in silent:
            with suppress(ConnectionResetError):
                await reader.read()
            writer.close()
        assert (await post(gateway))[0] == 200


async def test_a_sender_waits_until_a_full_mailbox_has_room_and_is_told_if_it_has_none():
    class Slow(CyclicBehaviour):
        async def run(self):
            await asyncio.Event().wait()

    async with (
        Container("c1", mailbox_limit=1, send_timeout=0.1) as container,
        Gateway(container, port=0) as gateway,
    ):
        agent = Agent("echo")
        agent.add_behaviour(Slow())
        await container.start(agent)
        assert (await post(gateway))[0] == 200
        assert (await post(gateway))[0] == 200
        assert any("had no room for 0.1 s" in letter.reason for letter in container.dead_letters)
        # The failure goes to where the sender says that it is, and nobody is there.
        await until(lambda: any("seller%jade" in letter.receiver for letter in container.dead_letters))
