"""Logging in: where the server is, whom to trust, and one sentence for all that goes wrong."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import re
from dataclasses import replace

import pytest

from formicary.errors import AuthenticationError, LinkError
from formicary.server.account import AccountAddress

pytestmark = [pytest.mark.server, pytest.mark.accounts]

HEADER = (
    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
    "xmlns:stream='http://etherx.jabber.org/streams' from='localhost' id='1' version='1.0'>"
)
FEATURES = "<stream:features>{}</stream:features>"
TLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
SUCCESS = "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>{}</success>"
CHALLENGE = "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>{}</challenge>"
SASL = "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>{}</mechanism></mechanisms>"


@pytest.mark.parametrize(
    ("changes", "kind", "says"),
    [
        ({"password": "wrong"}, AuthenticationError, "does not accept the password of lab"),
        (
            {"jid": "nobody@localhost"},
            AuthenticationError,
            "does not accept the password of nobody@localhost",
        ),
        ({"insecure": False}, LinkError, "cannot be trusted: self-signed certificate; if it was issued"),
        ({"port": 1}, LinkError, "at 127.0.0.1:1: Connection refused; is it running"),
        ({"port": 1 << 20}, LinkError, "at 127.0.0.1:1048576: .*port must be 0-65535"),
        ({"host": "no.invalid"}, LinkError, "at no.invalid:.*; is the name right"),
        ({"host": "a..b"}, LinkError, "cannot connect to the XMPP server of localhost at a..b"),
        ({"jid": "lab@other.org"}, LinkError, "does not serve other.org; is the account's address right"),
        ({"insecure": False, "ca_file": "/nowhere"}, LinkError, "/nowhere cannot be read .*: No such file"),
        ({"insecure": False, "ca_file": __file__}, LinkError, "cannot be read as certificates: "),
    ],
)
async def test_each_mistake_has_its_sentence(account, connected, changes, kind, says):
    address = replace(account(), **changes)
    with pytest.raises(kind, match=says) as caught:
        async with connected(address, "c1"):
            pass
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_certificate_for_another_name_is_refused(server, account, connected):
    (authority,) = server.folder.certificates.glob("lab.localhost.crt")
    address = account("stock.localhost", insecure=False, ca_file=authority)
    with pytest.raises(LinkError, match="cannot be trusted: Hostname mismatch"):
        async with connected(address, "c1"):
            pass


async def test_the_port_for_components_is_not_the_one(server, account, connected):
    address = account(port=server.address.port)
    with pytest.raises(LinkError, match=r"does not serve localhost; .* is this its port for clients\?"):
        async with connected(address, "c1"):
            pass


async def test_an_unchecked_certificate_is_warned_of_once(account, connected, caplog):
    from formicary.transport.xmpp import login

    login._warn.cache_clear()
    address = account()
    async with connected(address, "c1", "c2"):
        pass
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == [
        f"the certificate of {address} is not checked: anyone in between can read and change messages"
    ]


@contextlib.asynccontextmanager
async def speaking(*lines, said=None, stays=False):
    """Run a server that says one line for each thing that it hears, and then ends the connection or stays."""
    speakers = []

    async def speak(reader, writer):
        speakers.append(asyncio.current_task())
        for line in lines:
            await reader.read(1 << 16)
            writer.write(line.encode())
        if said is not None:
            said.set()
        with contextlib.suppress(OSError):
            while await reader.read(1 << 16) and stays:
                pass
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield AccountAddress("lab@localhost", "secret", host="127.0.0.1", port=port, insecure=True)
    await asyncio.wait(speakers)


SCRAM = (HEADER + FEATURES.format(SASL.format("SCRAM-SHA-1")),)


@pytest.mark.parametrize(
    ("lines", "tls", "says"),
    [
        ((), True, "localhost at 127.0.0.1:.*(closed|shut|reset)"),
        (("HTTP/1.1 400 Bad Request\r\n\r\n",), True, "is this its port for clients"),
        (
            (HEADER + FEATURES.format(""), "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
            True,
            "no TLS",
        ),
        (
            (HEADER + FEATURES.format(TLS), "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
            True,
            "it closed the connection|no TLS",
        ),
        ((HEADER + FEATURES.format(""),), False, "offers no supported login mechanism"),
        ((HEADER + FEATURES.format(SASL.format("PLAIN")),), False, "offers no supported login mechanism"),
        ((HEADER + FEATURES.format(SASL.format("SCRAM-SHA-1")), "<x/>"), False, "does not speak XMPP"),
        ((HEADER + FEATURES.format(SASL.format("SCRAM-SHA-1")),), False, "closed the connection"),
        ((*SCRAM, SUCCESS.format("")), False, "does not speak XMPP"),
        ((*SCRAM, CHALLENGE.format("?")), False, "did not prove that it knows the password"),
        ((*SCRAM, CHALLENGE.format("AAAA")), False, "did not prove that it knows the password"),
    ],
)
async def test_strange_servers_end_in_one_sentence(connected, lines, tls, says):
    async with speaking(*lines) as address:
        with pytest.raises(LinkError, match=says) as caught:
            async with connected(replace(address, tls=tls), "c1"):
                pass
    assert "\n" not in str(caught.value)


@pytest.fixture
def log_in():
    from formicary.transport.xmpp import login

    return login.log_in


@contextlib.asynccontextmanager
async def scram_server(known, *, ends_with="success"):
    """Run a server that logs in by SCRAM who knows a password, as does who knows it itself."""
    import scramp

    speakers = []

    async def speak(reader, writer):
        speakers.append(asyncio.current_task())

        async def heard():
            text = (await reader.read(1 << 16)).decode()
            return base64.b64decode(re.search(r">([^<]*)</", text)[1]).decode()

        def say(name, text):
            encoded = base64.b64encode(text.encode()).decode()
            writer.write(f"<{name} xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>{encoded}</{name}>".encode())

        mechanism = scramp.ScramMechanism("SCRAM-SHA-256")
        login = mechanism.make_server(lambda _: mechanism.make_auth_info("secret"))
        await reader.read(1 << 16)
        writer.write((HEADER + FEATURES.format(SASL.format("SCRAM-SHA-256"))).encode())
        login.set_client_first(await heard())
        say("challenge", login.get_server_first())
        login.set_client_final(await heard())
        say(ends_with, login.get_server_final() if known else "v=" + base64.b64encode(b"x" * 32).decode())
        if ends_with == "challenge":
            await reader.read(1 << 16)
            say("success", "")
        await reader.read(1 << 16)
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(speak, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield AccountAddress("lab@localhost", "secret", host="127.0.0.1", port=port, insecure=True, tls=False)
    await asyncio.wait(speakers)


@pytest.mark.parametrize("ends_with", ["success", "challenge"])
async def test_who_knows_the_password_is_logged_in(log_in, ends_with):
    async with scram_server(known=True, ends_with=ends_with) as address:
        (await log_in(address)).close()


async def test_a_server_that_does_not_know_the_password_is_not_believed(log_in):
    async with scram_server(known=False) as address:
        with pytest.raises(AuthenticationError, match="did not prove that it knows the password of lab@"):
            await log_in(address)


async def test_a_password_that_can_be_none_is_not_quoted(log_in):
    async with speaking(HEADER + FEATURES.format(SASL.format("SCRAM-SHA-1"))) as address:
        with pytest.raises(
            AuthenticationError, match="contains a character that is not allowed in passwords"
        ) as caught:
            await log_in(replace(address, password="secret\0", tls=False))
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("lines", [(), (HEADER,), (HEADER + FEATURES.format(TLS),)])
async def test_a_login_can_be_cancelled_at_any_time(connected, lines):
    async def log_in(address):
        async with connected(address, "c1"):
            pass

    said = asyncio.Event()
    async with speaking(*lines, said=said, stays=True) as address:
        task = asyncio.create_task(log_in(address))
        await said.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_server_that_says_nothing_is_not_waited_for_long(connected, monkeypatch):
    from formicary.transport.xmpp import login

    monkeypatch.setattr(login, "_WAY_TIMEOUT", 1.0)  # enough to connect
    async with speaking(stays=True) as address:
        with pytest.raises(LinkError, match="it does not answer; is it running"):
            async with connected(address, "c1"):
                pass


class Dns(asyncio.DatagramProtocol):
    """Answers questions for SRV records (RFC 2782)."""

    def __init__(self, answers):
        self.answers = answers

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        import dns.message
        import dns.rrset

        question = dns.message.from_wire(data)
        answer = dns.message.make_response(question)
        name = question.question[0].name
        records = self.answers.get(name.to_text().partition(".")[0], ())
        if records:
            answer.answer.append(dns.rrset.from_text(name, 60, "IN", "SRV", *records))
        else:
            answer.set_rcode(3)
        self.transport.sendto(answer.to_wire(), sender)


@pytest.fixture
def names(monkeypatch):
    """Have the DNS answer: `async with names({"_xmpp-client": ["0 0 5222 host."]})`."""

    @contextlib.asynccontextmanager
    async def answering(answers):
        import dns.asyncresolver

        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: Dns(answers), local_addr=("127.0.0.1", 0))
        resolver = dns.asyncresolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], transport.get_extra_info("sockname")[1]
        monkeypatch.setattr(dns.asyncresolver, "default_resolver", resolver)
        yield
        transport.close()

    return answering


async def test_the_dns_says_where_the_server_is(server, account, connected, names):
    address = account("stock.localhost", host=None, port=None)
    answers = {
        "_xmpps-client": ["0 0 1 localhost."],  # nothing listens there: the next one is tried
        "_xmpp-client": [f"5 0 {server.client_port} localhost."],
    }
    async with names(answers), connected(address, "c1") as (c1,):
        assert not c1.lost.done()


async def test_a_domain_that_has_no_server_says_so(account, connected, names):
    address = account(host=None, port=None)
    async with names({"_xmpp-client": ["0 0 0 ."]}):
        with pytest.raises(LinkError, match="localhost has no XMPP server for clients"):
            async with connected(address, "c1"):
                pass


async def test_where_the_dns_knows_nothing_the_domain_is_the_host(connected, names):
    from formicary.transport.xmpp.login import ways

    async with names({}):
        assert await ways(AccountAddress("lab@example.org", "x")) == [("example.org", 5222, False)]
