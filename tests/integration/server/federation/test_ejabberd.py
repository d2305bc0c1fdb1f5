"""ejabberd in Prosody's place: containers are its components, and it federates with a Prosody."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import psutil
import pytest
from tests.integration.server.federation.ejabberd import PROGRAM, Ejabberd
from tests.plugins.missing import leave_out
from tests.plugins.ports import unused_port
from tests.unit.core.agents import Echo, do, start

from formicary import Container, Message, Network
from formicary.errors import AuthenticationError
from formicary.server.certificate import ensure_certificate
from formicary.server.federate import federate
from formicary.server.federation import parse_member
from formicary.transport.xmpp import stream

pytestmark = [pytest.mark.server, pytest.mark.ejabberd]


@pytest.fixture(autouse=True, scope="module")
def _has_ejabberd():
    """Leave the tests out where it is missing."""
    if not PROGRAM.exists():
        leave_out("ejabberd is not installed: docs/ejabberd.md says what to do before that")


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Raise the connection timeout: on a busy machine, ejabberd is slow to answer at first."""
    monkeypatch.setattr(stream, "_CONNECT_TIMEOUT", 60.0)


def make(path, federated, listen, port):
    """Make an ejabberd with the certificates of a federation's server."""
    folder = path / "ejabberd"
    folder.mkdir(mode=0o700)
    for name in ("ca.crt", "certificates/e.lab.example.crt", "certificates/e.lab.example.key"):
        shutil.copy(federated.path / name, folder)
    ensure_certificate(folder, "lab.example")
    parts = [(folder / f"lab.example.{kind}").read_text() for kind in ("key", "crt")]
    (folder / "lab.example.pem").write_text("".join(parts))
    made = Ejabberd(folder, listen)
    made.write(port)
    return made


@pytest.fixture(scope="module")
def ejabberd(tmp_path_factory):
    """One on loopback, which runs."""
    path = tmp_path_factory.mktemp("loopback")
    members = [parse_member("a=c1,c2@127.0.0.2"), parse_member("e=c3,c4@127.0.0.1")]
    federated = federate("lab.example", members, path / "federation")[1].folder
    made = make(path, federated, "127.0.0.1", unused_port())
    with made.running() as process:
        made.process = process
        yield made


def container(name, address):
    # Its own way between containers would need no server.
    return Container(name, platform="lab.example", server=address, network=Network(route="xmpp"))


async def ask(container, receiver, *bodies):
    """Send messages and return the bodies of the answers."""

    async def run(behaviour):
        for body in bodies:
            await behaviour.send(Message(to=receiver, body=body))
        return [(await behaviour.receive()).body for _ in bodies]

    asking = do(run)
    await start(container, "ask", asking)
    await asking.join()
    return asking.result


async def test_containers_talk_through_it_with_and_without_tls(ejabberd):
    async with container("c3", ejabberd.address) as c3, container("c4", ejabberd.tls_address) as c4:
        await start(c3, "echo", Echo())
        await start(c4, "echo", Echo())
        bodies = [*map(str, range(300)), "x" * 3_000_000]
        assert await ask(c3, "echo@c4", *bodies) == bodies
        assert await ask(c4, "echo@c3", *bodies) == bodies


async def test_it_listens_on_loopback_alone_and_needs_no_epmd(ejabberd):
    sockets = psutil.Process(ejabberd.process.pid).net_connections(kind="inet")
    listening = [found.laddr for found in sockets if found.status == psutil.CONN_LISTEN]
    assert {address.ip for address in listening} == {"127.0.0.1"}
    assert len(listening) == 3
    assert not [
        child
        for child in psutil.Process(ejabberd.process.pid).children(recursive=True)
        if "epmd" in child.name()
    ]


async def test_strangers_and_impostors_are_said(ejabberd, tmp_path):
    for name, address in (("c3", replace(ejabberd.address, secret="wrong")), ("c9", ejabberd.address)):
        with pytest.raises(AuthenticationError, match=f"does not accept the secret of container '{name}'"):
            async with container(name, address):
                pytest.fail("it opened")
    ensure_certificate(tmp_path / "other", "lab.example")
    other = replace(ejabberd.tls_address, certificate=tmp_path / "other" / "lab.example.crt")
    with pytest.raises(AuthenticationError, match="did not prove"):
        async with container("c3", other):
            pytest.fail("it opened")


@pytest.fixture
def both(two_hosts, start_server, talker, tmp_path):
    """A Prosody on one host and an ejabberd on the other, and a container at each."""
    first, second = two_hosts
    members = [parse_member(f"a=c1,c2@{first.address}"), parse_member(f"e=c3,c4@{second.address}")]
    second.know({f"{name}.lab.example": first.address for name in ("a", "c1", "c2")})
    a, e = (made.folder for made in federate("lab.example", members, tmp_path / "federation"))
    ejabberd = make(tmp_path, e, second.address, 5269)
    given = ejabberd.address
    facts = tmp_path / "address.json"
    facts.write_text(
        json.dumps({name: getattr(given, name) for name in ("host", "port", "secret", "platform")})
    )

    def begin(prosody):
        start_server(first, prosody)
        return talker(first, prosody.path, "c1"), talker(second, facts, "c3")

    with ejabberd.running(second.popen):
        yield begin, a


def test_it_federates_with_prosody(both):
    begin, folder = both
    c1, c3 = begin(folder)
    expected = [("inform", str(number)) for number in range(100)]
    assert c1.talk("echo@c3", 100) == expected
    assert c3.talk("echo@c1", 100) == expected
    assert "Accepting SASL EXTERNAL identity" in folder.log.read_text()


@pytest.mark.full("as one Prosody refuses another")
def test_it_refuses_a_prosody_with_a_wrong_certificate(both, two_hosts, tmp_path):
    begin, _ = both
    first, second = two_hosts
    members = [parse_member(f"a=c1,c2@{first.address}"), parse_member(f"e=c3,c4@{second.address}")]
    c1, c3 = begin(federate("lab.example", members, tmp_path / "impostor")[0].folder)
    [(performative, reason)] = c3.talk("echo@c1")
    assert (performative, "c1 cannot be reached" in reason) == ("failure", True)
    [(performative, reason)] = c1.talk("echo@c3")
    assert (performative, "c3 cannot be reached" in reason) == ("failure", True)
