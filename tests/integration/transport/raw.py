"""Raw ends of XMPP streams, which say what no library would say."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import re
from typing import Self

from formicary import Message
from formicary.server import add_container
from formicary.transport.link.header import DATA, HEADER, HELLO, SIZE, SessionParameters, write_parameters

_LONGEST = 60.0  # seconds to wait for what is expected
_STREAM = "<stream:stream xmlns='{}' xmlns:stream='http://etherx.jabber.org/streams' to='{}' version='1.0'>"


async def until(condition):
    """Wait until a condition holds; if it never does, the test's time ends."""
    while not condition():  # noqa: ASYNC110 -- what it looks at has no event to wait for
        await asyncio.sleep(0.002)


async def next_turn():
    """Let the loop turn, and what was sent go out: `sleep(0)` gives way to other behaviours only."""
    await asyncio.sleep(1e-6)


def server_connection(container):
    """Return a container's connection to the server."""
    return container.dispatcher.transport._xmpp


async def disconnected(*containers):
    """Wait until all have noticed that the server is gone."""
    await until(lambda: not any(server_connection(one).is_up for one in containers))


async def connected(*containers):
    """Wait until all are connected to the server."""
    await until(lambda: all(server_connection(one).is_up for one in containers))


def link(container, peer):
    """Return what is known about the link of a container to another; None if there is none."""
    domain = f"{peer}.lab.localhost"
    return next((status for status in container.links if status.peer == domain), None)


def paused(container, peer):
    """Return the receivers in another container that a container is to send nothing for now."""
    return container.dispatcher.transport.links[f"{peer}.lab.localhost"].paused


async def way(container, peer, *ways):
    """Wait until the link to a container that is there takes one of these ways."""
    await until(lambda: (status := link(container, peer)) is not None and status.is_up and status.way in ways)


async def fill(agent):
    """Have a micro-agent send more and more, until that raises."""
    while True:
        agent.send_nowait(Message(to="b@c2", body="x" * 100_000))
        await next_turn()


class _Raw:
    async def _connect(self, host, port):
        self._reader, self._writer = await asyncio.open_connection(host, port)
        self._seen = ""

    def send(self, text):
        self._writer.write(text.encode())

    async def until(self, pattern):
        """Read until something matches; take it out of what was read, and return it."""
        async with asyncio.timeout(_LONGEST):
            while not (found := re.search(pattern, self._seen, re.DOTALL)):
                data = await self._reader.read(1 << 20)
                if not data:
                    raise AssertionError(f"the server closed the connection after {self._seen[-500:]!r}")
                self._seen += data.decode()
        self._seen = self._seen[: found.start()] + self._seen[found.end() :]
        return found[0]

    async def __aexit__(self, *_):
        self._writer.transport.abort()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()


class RawComponent(_Raw):
    """A component of the platform."""

    def __init__(self, address, name):
        self._address = address
        self._name = name

    async def __aenter__(self) -> Self:
        address = self._address
        await add_container(address, self._name)
        await self._connect(address.host, address.port)
        self.send(_STREAM.format("jabber:component:accept", f"{self._name}.{address.platform}"))
        header = await self.until(r"<stream:stream[^>]*>")
        stream_id = re.search(r"\bid='([^']+)'", header)[1]
        digest = hashlib.sha1((stream_id + address.secret).encode()).hexdigest()
        self.send(f"<handshake>{digest}</handshake>")
        await self.until(r"<handshake.*?>")
        return self

    async def frame(self, kind):
        """Return the next frame of a kind; others are passed over."""
        while True:
            text = await self.until(r"<frame [^>]*>([^<]*)</frame>")
            frame = base64.b64decode(re.search(">([^<]*)<", text)[1])
            if frame[0] == kind:
                return frame

    def link(self, incarnation=7, to="c1.lab.localhost"):
        """Return an end of a link to a container."""
        return RawLink(self, f"{self._name}.{self._address.platform}", to, incarnation)


class RawLink:
    """The end of a link that a component pretends to be; it acknowledges nothing."""

    def __init__(self, component, own, peer, incarnation):
        self.component = component
        self.own = own
        self.peer = peer
        self.incarnation = incarnation
        self.other = 0  # the container's incarnation
        self.number = 0

    def send(self, frame):
        """Send any bytes as a frame."""
        text = base64.b64encode(frame).decode()
        self.component.send(
            f"<message to='{self.peer}' from='{self.own}' id='x'>"
            f"<frame xmlns='urn:formicary:frame:2'>{text}</frame></message>"
        )

    def hello(self, parameters=None, *, asks=0, echo=0):
        """Send a hello, and return what was sent."""
        payload = write_parameters(parameters or SessionParameters())
        self.send(frame := HEADER.pack(HELLO, self.incarnation, self.other, asks, echo) + payload)
        return frame

    async def open(self, parameters=None):
        """Become the container's session with this component; return the parameters that it tells."""
        self.hello(parameters, asks=99)
        while True:
            answer = await self.component.frame(HELLO)
            _, sender, receiver, asks, echo = HEADER.unpack_from(answer)
            if (receiver, echo) == (self.incarnation, 99) and asks:
                break
        self.other = sender
        self.hello(parameters, echo=asks)
        return answer[SIZE:]

    def control(self, kind, number=0, acked=0, payload=b""):
        """Send a frame of the session with any number."""
        self.send(HEADER.pack(kind, self.incarnation, self.other, number, acked) + payload)

    def data(self, payload, kind=DATA):
        """Send the next numbered frame."""
        self.number += 1
        self.control(kind, self.number, payload=payload)


class RawClient(_Raw):
    """An ordinary account that has logged in, without TLS."""

    def __init__(self, server, account, password):
        self._server = server
        self._account = account
        self._password = password

    async def __aenter__(self) -> Self:
        user, _, domain = self._account.partition("@")
        await self._connect("127.0.0.1", self._server.client_port)
        plain = base64.b64encode(f"\0{user}\0{self._password}".encode()).decode()
        self.send(_STREAM.format("jabber:client", domain))
        self.send(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{plain}</auth>")
        await self.until("<success")
        self.send(_STREAM.format("jabber:client", domain))
        self.send("<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq><presence/>")
        await self.until("<jid>.*?</jid>")
        return self
