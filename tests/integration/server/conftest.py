from __future__ import annotations

import base64
import hashlib
import re
import socket

import pytest

from formicary import server
from formicary.server import ManagedServer


class Component:
    """The least that can be an external component (XEP-0114): a socket and a handshake."""

    def __init__(self, address, container, *, secret=None):
        self.domain = f"{container}.{address.platform}"
        self.socket = socket.create_connection((address.host, address.port), timeout=30)
        self.seen = ""
        self.send(
            "<stream:stream xmlns='jabber:component:accept' "
            f"xmlns:stream='http://etherx.jabber.org/streams' to='{self.domain}'>"
        )
        greeting = self.read_until(r"<stream:stream[^>]*>|<stream:error>.*</stream:stream>")
        stream = re.search(r"\bid='([^']+)'", greeting)
        if stream and "stream:error" not in self.seen:
            token = hashlib.sha1((stream[1] + (secret or address.secret)).encode()).hexdigest()
            self.send(f"<handshake>{token}</handshake>")
            self.read_until(r"<handshake.*?/>|</stream:stream>")

    @property
    def connected(self):
        return "<handshake" in self.seen

    def send(self, text):
        self.socket.sendall(text.encode())

    def read_until(self, pattern):
        while not (found := re.search(pattern, self.seen, re.DOTALL)):
            data = self.socket.recv(1 << 20)
            if not data:
                raise AssertionError(f"the server closed the connection after {self.seen[-500:]!r}")
            self.seen += data.decode()
        return found[0]

    def close(self):
        self.socket.close()


@pytest.fixture
def connect():
    """Make components that are closed at the test's end."""
    made = []

    def make(address, container, **options):
        made.append(Component(address, container, **options))
        return made[-1]

    yield make
    for component in made:
        component.close()


@pytest.fixture
def prosody():
    with ManagedServer(containers=["c1"]) as running:
        yield running


@pytest.fixture
def folder(tmp_path):
    """A state folder whose server, if there is one, is stopped at the test's end."""
    path = tmp_path / "state"
    yield path
    server.stop(path)


@pytest.fixture
def log_in():
    """Log an account in as an ordinary client would, without TLS; return the server's last word."""

    def attempt(address, port, user, password):
        with socket.create_connection((address.host, port), timeout=30) as connection:
            plain = base64.b64encode(f"\0{user}\0{password}".encode()).decode()
            connection.sendall(
                (
                    f"<stream:stream to='{address.platform}' version='1.0' xmlns='jabber:client' "
                    "xmlns:stream='http://etherx.jabber.org/streams'>"
                    f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{plain}</auth>"
                ).encode()
            )
            seen = ""
            while not (answer := re.search(r"<(success|failure)\b", seen)):
                data = connection.recv(4096)
                assert data, seen
                seen += data.decode()
            return answer[1]

    return attempt
