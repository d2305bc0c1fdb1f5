"""Containers that connect to the managed server with TLS, and only to the one whose certificate they have."""

from __future__ import annotations

import shutil
import socket
import ssl
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.core.agents import Echo, do, start

from formicary import Container, Message
from formicary.errors import AuthenticationError, LinkError, ServerError
from formicary.server import ManagedServer, ServerAddress, configuration, managed
from formicary.server.certificate import ensure_certificate

pytestmark = pytest.mark.server


async def refusal(kind, address, platform="lab.localhost"):
    """Open a container, which fails; return the sentence."""
    with pytest.raises(kind) as caught:
        async with Container("c1", server=address, platform=platform):
            pytest.fail("it opened")
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def ask(container, *bodies):
    """Send messages to the agent `echo` in the container c2, and return the bodies of the answers."""

    async def run(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="echo@c2", body=body))
        return [(await behaviour.receive()).body for _ in bodies]

    asking = do(run)
    await start(container, "ask", asking)
    await asking.join()
    return asking.result


async def test_containers_with_and_without_tls_talk(prosody):
    async with (
        Container("c1", server=prosody.tls_address) as c1,
        Container("c2", server=prosody.address) as c2,
    ):
        await start(c2, "echo", Echo())
        big = "x" * 3_000_000  # many reads, and many records of TLS
        assert await ask(c1, "hello", big) == ["hello", big]


def test_the_port_speaks_tls_1_3_and_shows_the_pinned_certificate(prosody):
    address = prosody.tls_address
    context = ssl.create_default_context(cafile=address.certificate)
    with (
        socket.create_connection((address.host, address.port), timeout=30) as connection,
        context.wrap_socket(connection, server_hostname=address.platform) as encrypted,
    ):
        assert encrypted.version() == "TLSv1.3"
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection((address.host, address.port), timeout=30) as connection,
        pytest.raises(ssl.SSLError),
    ):
        context.wrap_socket(connection, server_hostname=address.platform)


async def test_another_server_is_refused_before_it_learns_anything(prosody, tmp_path):
    ensure_certificate(tmp_path, "lab.localhost")
    sentence = await refusal(
        AuthenticationError, replace(prosody.tls_address, certificate=tmp_path / "lab.localhost.crt")
    )
    assert "did not prove to serve lab.localhost" in sentence
    assert "handshake" not in prosody.folder.log.read_text()


async def test_a_server_of_another_platform_is_refused(prosody):
    other = replace(prosody.tls_address, platform="other.localhost")
    sentence = await refusal(LinkError, other, "other.localhost")
    assert "does not speak TLS for other.localhost" in sentence


async def test_ports_taken_for_one_another_are_said(prosody):
    plain, tls = prosody.address, prosody.tls_address
    assert "does not speak TLS" in await refusal(LinkError, replace(tls, port=plain.port))
    assert "closed the connection" in await refusal(LinkError, replace(plain, port=tls.port))


async def test_a_certificate_that_is_none_is_said(prosody, tmp_path):
    missing = replace(prosody.tls_address, certificate=tmp_path / "missing.crt")
    assert "missing.crt of the XMPP server cannot be used" in await refusal(LinkError, missing)
    (tmp_path / "none.crt").write_text("no certificate")
    damaged = replace(prosody.tls_address, certificate=tmp_path / "none.crt")
    assert "none.crt of the XMPP server cannot be used" in await refusal(LinkError, damaged)


async def test_the_address_with_tls_is_found_by_the_folder(prosody):
    assert ServerAddress.load(prosody.folder.path, tls=True) == prosody.tls_address


async def test_containers_come_back_after_a_restart(prosody):
    async with (
        Container("c1", server=prosody.tls_address) as c1,
        Container("c2", server=prosody.tls_address) as c2,
    ):
        await start(c2, "echo", Echo())
        prosody.kill()
        prosody.restart()

        async def run(behaviour):
            answer = None
            while answer is None or answer.performative == "failure":  # c1 may be back before c2
                await behaviour.send(Message(to="echo@c2", body="hello"))
                answer = await behaviour.receive(timeout=1)
            return answer.body

        asking = do(run)
        await start(c1, "ask", asking)
        await asking.join()
        assert asking.result == "hello"


def test_a_server_that_cannot_have_the_port_runs_without_it(monkeypatch, tmp_path, connect):
    monkeypatch.setattr(configuration, "MODULES", tmp_path)  # which has no such module
    with ManagedServer(containers=["c1"]) as running:
        assert connect(running.address, "c1").connected
        with pytest.raises(ServerError, match=r"no TLS port.*start it again"):
            ServerAddress.load(running.folder.path, tls=True)


@pytest.fixture
def state_folder():
    """A folder for a server, which is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="formicary-"))
    try:
        yield folder
    finally:
        managed.stop(folder)
        shutil.rmtree(folder)


async def test_containers_of_other_hosts_come_with_tls_where_that_was_said(state_folder):
    plain = managed.start(state_folder, containers=["c1", "c2"], listen="127.0.0.2", die_with_parent=True)
    tls = replace(ServerAddress.load(state_folder, tls=True), host="127.0.0.2")
    async with Container("c1", server=tls) as c1, Container("c2", server=plain) as c2:
        await start(c2, "echo", Echo())
        assert await ask(c1, "over") == ["over"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", plain.port), timeout=30)


def test_an_address_that_is_not_this_hosts_is_refused(state_folder):
    with pytest.raises(ServerError, match="could not open its ports"):
        managed.start(state_folder, listen="192.0.2.1", die_with_parent=True)
