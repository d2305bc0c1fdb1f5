"""Containers that share an account: who gets their frames, and who never does."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from dataclasses import replace

import pytest

from formicary.errors import LinkError, NameTakenError
from formicary.server import ManagedServer
from formicary.server.account import AccountAddress
from formicary.transport.xmpp.addressing import domain_of, frame_head
from formicary.transport.xmpp.stream import ReplacedError

pytestmark = [pytest.mark.server, pytest.mark.accounts]

END = b"</frame></message>"
PING = "<iq type='get' id='{}' to='{}'><ping xmlns='urn:xmpp:ping'/></iq>"
CHAT = "<message type='chat' to='{}' id='chat'><body>hello</body></message>"


def send(address, sender, receiver, text=b"AAAA"):
    domains = (f"{name}.{address.platform}" for name in (sender.name, receiver))
    sender.stream.write(frame_head(address, *domains) + text + END)


async def heard(records, address):
    """Wait for all that the server has for a stream by now: it answers in order."""
    number = str(len(records.stanzas))
    records.stream.write(PING.format(number, address.domain).encode())
    await records.until(lambda: any(stanza.get("id") == number for stanza in records.stanzas))


@pytest.mark.parametrize("domain", ["localhost", "stock.localhost"])
async def test_frames_go_from_full_address_to_full_address(account, connected, domain):
    address = account(domain)
    async with connected(address, "c1", "c2") as (c1, c2):
        send(address, c1, "c2")
        send(address, c2, "c1", b"B" * 200_000)
        await c2.until(lambda: c2.frames)
        await c1.until(lambda: c1.frames)
        assert c2.frames == [(f"{address.jid}/c1", b"AAAA")]
        assert c1.frames == [(f"{address.jid}/c2", b"B" * 200_000)]
        assert domain_of(address, c1.frames[0][0]) == f"c2.{address.platform}"
        assert c1.stanzas == c2.stanzas == []


async def test_the_certificate_is_checked_against_the_authority_that_was_given(server, account, connected):
    (authority,) = server.folder.certificates.glob("lab.localhost.crt")
    address = account(insecure=False, ca_file=authority)
    async with connected(address, "c1", "c2") as (c1, c2):
        encryption = c1.stream._transport.get_extra_info("ssl_object")
        assert encryption.version() == "TLSv1.3"
        assert encryption.context.check_hostname
        send(address, c1, "c2")
        await c2.until(lambda: c2.frames)


async def test_without_tls_nothing_is_encrypted(account, connected):
    async with connected(account(tls=False), "c1") as (c1,):
        assert c1.stream._transport.get_extra_info("ssl_object") is None


async def online(phone):
    phone.stream.write(b"<presence/><iq type='set' id='c'><enable xmlns='urn:xmpp:carbons:2'/></iq>")
    await phone.until(lambda: any(stanza.get("id") == "c" for stanza in phone.stanzas))
    phone.stanzas.clear()


def bodies(records):
    return [stanza for stanza in records.stanzas if "hello" in "".join(stanza.itertext())]


async def test_a_frame_for_a_container_that_is_gone_comes_back_and_reaches_nobody_else(account, connected):
    address = account("stock.localhost")
    async with connected(address, "c1", "c2", "phone") as (c1, c2, phone):
        await online(phone)
        await c2.stream.close()
        send(address, c1, "c2")
        await c1.until(lambda: c1.stanzas)
        (bounced,) = c1.stanzas
        assert (bounced.get("type"), bounced.get("from")) == ("error", f"{address.jid}/c2")
        assert bounced.find(".//{urn:ietf:params:xml:ns:xmpp-stanzas}service-unavailable") is not None
        await heard(phone, address)
        assert phone.frames == []
        assert [stanza for stanza in phone.stanzas if stanza.tag.endswith("message")] == []
        # An ordinary message is given to whoever else is there: so this test would see it.
        c1.stream.write(CHAT.format(f"{address.jid}/c2").encode())
        await phone.until(lambda: bodies(phone))


async def test_nothing_of_frames_is_stored(account, connected):
    address = account("stock.localhost")
    async with connected(address, "c1", "c2") as (c1, c2):
        send(address, c1, "c2")
        await c2.until(lambda: c2.frames)
        send(address, c1, "c3")
        c1.stream.write(CHAT.format(f"{address.jid}/c3").encode())
        await c1.until(lambda: c1.stanzas)
    async with connected(address, "phone") as (phone,):
        await online(phone)
        phone.stream.write(b"<iq type='set' id='a'><query xmlns='urn:xmpp:mam:2'/></iq>")
        await phone.until(lambda: any(stanza.get("id") == "a" for stanza in phone.stanzas))
        assert phone.frames == []
        assert [stanza for stanza in phone.stanzas if stanza.find(".//{*}frame") is not None] == []
        assert bodies(phone)  # the ordinary message was stored: so this test would see a frame


async def test_a_stranger_cannot_speak_for_a_container(account, connected):
    ours, theirs = account(), account()
    async with connected(ours, "c1") as (c1,), connected(theirs, "c2") as (c2,):
        send(ours, c2, "c1")
        await c1.until(lambda: c1.frames)
        ((origin, _),) = c1.frames
        assert origin == f"{theirs.jid}/c2"
        assert domain_of(ours, origin) is None


async def test_a_frame_in_a_message_of_another_type_is_not_taken_for_one(account, connected):
    address = account()
    async with connected(address, "c1", "c2") as (c1, c2):
        head = frame_head(address, "", f"c2.{address.platform}").replace(b"groupchat", b"headline")
        c1.stream.write(head + b"AAAA" + END)
        await c2.until(lambda: c2.stanzas)
        assert [stanza.get("type") for stanza in c2.stanzas] == ["headline"]
        send(address, c1, "c2", b"BBBB")
        await c2.until(lambda: c2.frames)
        assert [text for _, text in c2.frames] == [b"BBBB"]


@pytest.mark.parametrize("domain", ["new.localhost", "random.localhost"])
async def test_a_name_that_is_taken_is_refused(account, connected, domain):
    address = account(domain)
    async with connected(address, "c1") as (c1,):
        with pytest.raises(NameTakenError, match=f"'c1' is connected to the account {address.jid} already"):
            async with connected(address, "c1"):
                pass
        assert not c1.lost.done()
        send(address, c1, "c1")
        await c1.until(lambda: c1.frames)


async def test_a_replaced_connection_is_told_why(account, connected):
    address = account()  # stock Prosody gives the place to the newer one
    async with connected(address, "c1") as (older,), connected(address, "c1") as (newer,):
        error = await older.lost
        assert isinstance(error, ReplacedError)
        assert re.search("replaced container 'c1' by another", str(error))
        assert not newer.lost.done()


async def test_the_end_of_the_server_is_told(connected):
    with ManagedServer() as server:
        jid = server.create_account("lab", "secret", "localhost")
        address = AccountAddress(jid, "secret", host="127.0.0.1", port=server.client_port, insecure=True)
        async with connected(address, "c1") as (c1,):
            server.kill()
            error = await c1.lost
            assert isinstance(error, LinkError)
            assert "closed the connection" in str(error)


async def test_a_server_that_does_not_read_is_told_and_nothing_is_lost(server, account, connected):
    address = replace(account(), stanza_limit=1 << 20)
    async with connected(address, "c1", "c2") as (c1, c2):
        os.kill(server.pid, signal.SIGSTOP)
        try:
            sent = 0
            async with asyncio.timeout(60):
                while c1.room != [False]:
                    send(address, c1, "c2", b"A" * 100_000)
                    sent += 1
                    await asyncio.sleep(0)
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await c2.until(lambda: len(c2.frames) == sent)
        assert c1.room == [False, True]


async def test_nothing_is_read_while_paused(account, connected):
    address = account()
    async with connected(address, "c1", "c2") as (c1, c2):
        c2.stream.pause()
        for _ in range(100):
            send(address, c1, "c2", b"A" * 100_000)
        await heard(c1, address)
        assert len(c2.frames) < 100
        c2.stream.resume()
        await c2.until(lambda: len(c2.frames) == 100)
